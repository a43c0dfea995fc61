-- needs-of: what a card needs, with how it stands there.
-- in   :task
select need.on_task, need.on_end, task.status, task.title
  from need join task on task.id = need.on_task
 where need.task = :task
 order by need.on_task;
