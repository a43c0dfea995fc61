-- insert-stage: a stage beside the work begins.
-- in   :run :kind :command :nowMs
insert into stage (run, kind, command, started_at_ms) values (:run, :kind, :command, :nowMs);
