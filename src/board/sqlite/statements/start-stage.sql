-- start-stage: who the process of the next stage is, where the one before is over and nobody wants the attempt to end.
-- A stop that was about the process before and decided nothing (it lingered, or its limit came too late) went with it.
-- in   :run :fence :stage :pid :fingerprint :startedMonotonic
-- out  1 when it may go
update run
   set stage = :stage, stage_over = 0, pid = :pid, fingerprint = :fingerprint, started_monotonic = :startedMonotonic,
       stop_kind = null, stop_by = null, stop_text = null, stop_at_ms = null, stop_delivered = 0, rung = null
 where id = :run and fence = :fence and phase = 'started' and stage_over = 1
   -- One that never got its go is started again.
   and ((stage = 'prepare' and :stage in ('prepare', 'work')) or (stage in ('work', 'check') and :stage = 'check'))
   and (stop_kind is null or stop_kind = 'linger'
        or (stop_kind in ('timeout', 'stall', 'memory', 'budget') and stop_delivered = 0));
