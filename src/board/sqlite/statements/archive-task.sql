-- archive-task: takes a settled card out of sight, or back into it.
-- in   :task :atMs :by (both null: back)
-- out  1, or 0 when it is not settled any more
update task set archived_at_ms = :atMs, archived_by = :by, changed_at_ms = :nowMs
 where id = :task and status in ('done', 'failed', 'cancelled');
