-- task-events-after: facts about a card.
-- in   :seq :limit :task
select * from event where task = :task and seq > :seq order by seq limit :limit;
