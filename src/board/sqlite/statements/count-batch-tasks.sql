-- count-batch-tasks: kept counts of one batch.
-- in   :batch
-- out  status, tasks, and how many of them are archived
select status, tasks, archived from batch_count where batch = :batch;
