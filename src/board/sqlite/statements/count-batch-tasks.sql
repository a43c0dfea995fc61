-- count-batch-tasks: kept counts of one batch.
-- in   :batch
-- out  status, tasks
select status, tasks from batch_count where batch = :batch;
