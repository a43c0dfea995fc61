-- shorten-waits: lets no wait between two attempts last beyond :latestMs; a time that a person asked for is left alone.
-- in   :latestMs
-- out  rows changed
update task set not_before_ms = :latestMs
 where id in (
   select id from task indexed by task_due
    where claimable = 1 and not_before_ms is not null and not_before_ms > :latestMs and runs > 0 and hold_code is not null);
