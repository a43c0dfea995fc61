-- children-of: who needs a card.
-- in   :task
select task, on_end from need where on_task = :task order by task;
