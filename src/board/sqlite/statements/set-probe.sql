-- set-probe: one run is let through a closed gate.
-- in   :account :run
-- out  1 when no other is
update gate set probe_run = :run where account = :account and probe_run is null and until_ms is not null;
