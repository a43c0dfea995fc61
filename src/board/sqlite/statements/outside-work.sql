-- outside-work: whether a waiting task of this batch needs, directly or further up, a task of another that may still start
-- by itself.
-- in   :batch
-- out  a row if so
with recursive upstream (task) as (
  select need.on_task
    from task cross join need on need.task = task.id
   where task.batch = :batch and task.status = 'todo' and task.archived_at_ms is null
  union
  select need.on_task
    from upstream cross join task on task.id = upstream.task cross join need on need.task = task.id
   where task.status = 'todo'
)
select 1 as found
  from upstream cross join task on task.id = upstream.task
 where task.batch is not :batch and (task.status = 'running' or task.claimable = 1)
 limit 1;
