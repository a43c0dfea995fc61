-- settle-run: its tree is gone.
-- in   :run :fence :countsToCap :nowMs
-- out  1 when it had exited and was not settled
update run set phase = 'settled', counts_to_cap = :countsToCap, settled_at_ms = :nowMs
 where id = :run and fence = :fence and phase = 'exited';
