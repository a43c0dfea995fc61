-- release-run: who lets the task of a run go although it may be alive.
-- in   :run :by
-- out  1 when it was not settled yet
update run set released_by = :by where id = :run and settled_at_ms is null;
