-- insert-batch: a new batch.
-- in   its fields
-- out  its id
insert into batch (board, name, key, digest, file, limits, defaults, canary, created_by, created_at_ms)
values (:board, :name, :key, :digest, :file, :limits, :defaults, :canary, :by, :nowMs);
