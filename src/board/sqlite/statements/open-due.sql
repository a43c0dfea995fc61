-- open-due: lets the tasks start whose time has come, the longest due first.
-- in   :nowMs :limit
-- out  rows changed
update task set not_before_ms = null
 where id in (
   select id from task indexed by task_due
    where claimable = 1 and not_before_ms is not null and not_before_ms <= :nowMs
    order by not_before_ms
    limit :limit);
