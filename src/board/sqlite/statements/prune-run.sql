-- prune-run: the directory of an attempt was removed.
-- in   :run :nowMs
update run set pruned_at_ms = :nowMs where id = :run and settled_at_ms is not null and pruned_at_ms is null;
