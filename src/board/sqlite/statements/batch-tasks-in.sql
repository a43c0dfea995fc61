-- batch-tasks-in: tasks of a batch in one status.
-- in   :batch :status
select * from task where batch = :batch and status = :status order by id;
