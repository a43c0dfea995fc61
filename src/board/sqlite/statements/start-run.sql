-- start-run: who the first process is, where the attempt is still open, fenced and not being stopped.
-- in   :run :fence :stage :pid :fingerprint :startedMonotonic :nowMs
-- out  1 when it may go
update run
   set phase = 'started', stage = :stage, pid = :pid, fingerprint = :fingerprint, started_monotonic = :startedMonotonic,
       started_at_ms = :nowMs
 where id = :run and fence = :fence and phase = 'claimed' and stop_kind is null and :stage <> 'check';
