-- plain-heads: first startable tasks of a group that need no folder for themselves.
-- in   :queueGroup :limit
-- out  task, rank, folder, review: 1 where it waits for one
select id as task, rank, folder, status = 'review' as review
  from task
 where queue_group = :queueGroup and folder = '' and claimable = 1 and not_before_ms is null
 order by rank, id
 limit :limit;
