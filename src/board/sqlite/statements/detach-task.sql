-- detach-task: a row that its file no longer has leaves the batch; the card stays.
-- in   :task :queueGroup (of its board and lane, without batch)
update task set batch = null, row_key = null, queue_group = :queueGroup where id = :task;
