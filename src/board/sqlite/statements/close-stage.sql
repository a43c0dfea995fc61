-- close-stage: how the open stage of an attempt ended.
-- in   :run :exitCode :signal :reason :outputTail :nowMs
-- out  1 when one was open
update stage
   set ended_at_ms = :nowMs, exit_code = :exitCode, signal = :signal, reason = :reason, output_tail = :outputTail
 where run = :run and ended_at_ms is null;
