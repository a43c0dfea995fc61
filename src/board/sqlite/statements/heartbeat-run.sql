-- heartbeat-run: its last sign of life.
-- in   :run :fence :nowMs
-- out  1 when its work is not over
update run set heartbeat_at_ms = :nowMs
 where id = :run and fence = :fence and phase in ('claimed', 'started') and stage = 'work' and stage_over = 0;
