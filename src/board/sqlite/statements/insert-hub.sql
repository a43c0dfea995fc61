-- insert-hub: a hub starts.
-- in   its fields
insert into hub (instance, machine, host, pid, version, started_by, started_at_ms)
values (:instance, :machine, :host, :pid, :version, :startedBy, :nowMs);
