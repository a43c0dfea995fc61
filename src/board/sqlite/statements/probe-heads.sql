-- probe-heads: startable tasks of a group, those that met a limit least often first.
-- in   :queueGroup :limit
-- out  task, rank, folder, tempfails, canary, review
select id as task, rank, folder, tempfails, canary, status = 'review' as review
  from task
 where queue_group = :queueGroup and claimable = 1 and not_before_ms is null
 order by tempfails, rank, id
 limit :limit;
