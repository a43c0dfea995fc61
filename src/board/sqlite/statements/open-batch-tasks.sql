-- open-batch-tasks: tasks of a batch that a cancel concerns, oldest first.
-- in   :batch
select * from task
 where batch = :batch and status in ('triage', 'todo', 'ready', 'running', 'review', 'blocked')
   and archived_at_ms is null -- none of these is; it says so to the index
 order by id;
