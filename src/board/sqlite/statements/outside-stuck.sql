-- outside-stuck: whether a waiting task of this batch needs, directly or further up, a task of another that nothing but a
-- person lets go on, or that ended otherwise than it has to.
-- in   :batch
-- out  a row if so
with recursive upstream (task, on_end) as (
  select need.on_task, need.on_end
    from task cross join need on need.task = task.id
   where task.batch = :batch and task.status = 'todo' and task.archived_at_ms is null
  union
  select need.on_task, need.on_end
    from upstream cross join task on task.id = upstream.task cross join need on need.task = task.id
   where task.status = 'todo'
)
select 1 as found
  from upstream cross join task on task.id = upstream.task
 where task.batch is not :batch
   and (task.status in ('triage', 'blocked')
        or (task.status = 'review' and task.review_lane is null)
        or (upstream.on_end = 'done' and task.status in ('failed', 'cancelled')))
 limit 1;
