-- folder-heads: heads of a group's queues with a folder of their own, best first. Busy folders are given too: the caller skips them.
-- in   :queueGroup :limit
-- out  task, rank, folder
select head_task as task, head_rank as rank, folder
  from queue
 where queue_group = :queueGroup and ready > 0 and folder <> ''
 order by head_rank, head_task
 limit :limit;
