-- close-gate: closes a gate until a time, or moves the time of a closed one.
-- in   :account :untilMs :reason :byRun :doublings :nowMs
insert into gate (account, epoch, until_ms, reason, closed_by_run, since_ms, doublings)
values (:account, 1, :untilMs, :reason, :byRun, :nowMs, :doublings)
on conflict do update
   set epoch = epoch + 1, until_ms = :untilMs, probe_run = null, reason = :reason, closed_by_run = :byRun,
       since_ms = ifnull(since_ms, :nowMs), doublings = :doublings;
