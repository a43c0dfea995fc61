-- batch-events-after: facts about a batch and its cards.
-- in   :seq :limit :batch
select * from event where batch = :batch and seq > :seq order by seq limit :limit;
