-- folder-heads: heads of a group's queues with a folder of their own, best first. Busy folders are given too: the caller skips them.
-- in   :queueGroup :limit
-- out  task, rank, folder, review: 1 where it waits for one
select queue.head_task as task, queue.head_rank as rank, queue.folder, task.status = 'review' as review
  from queue
  cross join task on task.id = queue.head_task
 where queue.queue_group = :queueGroup and queue.ready > 0 and queue.folder <> ''
 order by queue.head_rank, queue.head_task
 limit :limit;
