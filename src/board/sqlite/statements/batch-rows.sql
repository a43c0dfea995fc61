-- batch-rows: the tasks of a batch with what an edited file is compared with.
-- in   :batch
select task.*, task_spec.digest as digest
  from task join task_spec on task_spec.task = task.id
 where task.batch = :batch
 order by task.id;
