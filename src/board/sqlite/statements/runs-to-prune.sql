-- runs-to-prune: settled attempts whose files are kept and that were over before a time, oldest first, after a place.
-- in   :before, :settledAtMs :run (the place before the first), :limit
-- out  run, settled_at_ms, how its card stands, and whether it is the newest attempt of it
select run.id as run, run.settled_at_ms, run.task, task.status, task.settled_at_ms as task_settled_at_ms,
       run.attempt = task.runs as is_newest
  from run indexed by run_to_prune join task on task.id = run.task
 where run.settled_at_ms is not null and run.pruned_at_ms is null
   and run.settled_at_ms >= :settledAtMs and run.settled_at_ms < :before
   and (run.settled_at_ms > :settledAtMs or run.id > :run)
 order by run.settled_at_ms, run.id
 limit :limit;
