-- next-due: the time of the task that is due first.
select min(not_before_ms) as at_ms from task where status = 'ready' and not_before_ms is not null;
