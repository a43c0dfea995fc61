-- stop-hub: a hub leaves in good order. A clock that was set back meanwhile does not make it leave before it came.
-- in   :instance :nowMs
-- out  1 when it had not left yet
update hub set stopped_at_ms = max(started_at_ms, :nowMs) where instance = :instance and stopped_at_ms is null;
