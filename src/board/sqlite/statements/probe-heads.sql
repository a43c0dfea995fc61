-- probe-heads: startable tasks of a group, those that met a limit least often first.
-- in   :queueGroup :limit
-- out  task, rank, folder, tempfails
select id as task, rank, folder, tempfails, canary
  from task
 where queue_group = :queueGroup and status = 'ready' and not_before_ms is null
 order by tempfails, rank, id
 limit :limit;
