-- insert-hub: a hub starts.
-- in   its fields
insert into hub (instance, machine, pid, version, started_by, started_at_ms)
values (:instance, :machine, :pid, :version, :startedBy, :nowMs);
