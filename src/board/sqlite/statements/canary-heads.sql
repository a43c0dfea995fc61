-- canary-heads: startable canaries of a group.
-- in   :batch :queueGroup
-- out  task, rank, folder, review: 0
select id as task, rank, folder, 0 as review
  from task indexed by task_canary
 where batch = :batch and canary = 1 and queue_group = :queueGroup and status = 'ready' and not_before_ms is null
 order by rank, id;
