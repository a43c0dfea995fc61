-- park-gate: closes a gate until a person opens it.
-- in   :account :parkedBy :reason :byRun :nowMs
insert into gate (account, epoch, parked_by, reason, closed_by_run, since_ms)
values (:account, 1, :parkedBy, :reason, :byRun, :nowMs)
on conflict do update
   set epoch = epoch + 1, until_ms = null, probe_run = null, parked_by = :parkedBy, reason = :reason,
       closed_by_run = :byRun, since_ms = ifnull(since_ms, :nowMs);
