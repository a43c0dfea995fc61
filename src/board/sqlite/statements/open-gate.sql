-- open-gate: opens a closed gate.
-- in   :account :nowMs
-- out  1 when it was closed
update gate
   set epoch = epoch + 1, until_ms = null, probe_run = null, parked_by = null, reason = null, since_ms = null,
       doublings = 0, opened_at_ms = :nowMs
 where account = :account and since_ms is not null;
