-- read-task: one card.
-- in   :task
select * from task where id = :task;
