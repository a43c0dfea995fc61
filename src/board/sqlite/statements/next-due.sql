-- next-due: the time of the task that is due first.
-- out  at_ms, or no row
select not_before_ms as at_ms from task indexed by task_due
 where claimable = 1 and not_before_ms is not null
 order by not_before_ms
 limit 1;
