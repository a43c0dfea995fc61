-- attempts-of: how often some cards may fail, where they or their batches say it.
-- in   :tasks (ids, a JSON list)
select task.id, ifnull(task_spec.attempts, json_extract(batch.defaults, '$.attempts')) as attempts
  from json_each(:tasks) as asked
  join task on task.id = asked.value
  join task_spec on task_spec.task = task.id
  left join batch on batch.id = task.batch;
