-- open-batch-tasks: tasks of a batch that a cancel concerns, oldest first.
-- in   :batch
select * from task
 where batch = :batch and status in ('triage', 'todo', 'ready', 'running', 'review', 'blocked')
 order by id;
