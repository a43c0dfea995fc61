-- read-batch: one batch.
-- in   :batch
select * from batch where id = :batch;
