-- plain-heads: first startable tasks of a group that need no folder for themselves.
-- in   :queueGroup :limit
-- out  task, rank, folder
select id as task, rank, folder
  from task
 where queue_group = :queueGroup and folder = '' and status = 'ready' and not_before_ms is null
 order by rank, id
 limit :limit;
