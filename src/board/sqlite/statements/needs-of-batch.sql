-- needs-of-batch: what the cards of a batch need.
-- in   :batch
select need.task, need.on_task, need.on_end
  from task join need on need.task = task.id
 where task.batch = :batch
 order by need.task, need.on_task;
