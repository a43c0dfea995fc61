-- heartbeat-run: its last sign of life.
-- in   :run :fence :nowMs
-- out  1 when it is not over
update run set heartbeat_at_ms = :nowMs
 where id = :run and fence = :fence and phase in ('claimed', 'started');
