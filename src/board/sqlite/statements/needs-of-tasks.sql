-- needs-of-tasks: what some cards need.
-- in   :tasks (ids, a JSON list)
select need.task, need.on_task, need.on_end
  from json_each(:tasks) as asked
  join need on need.task = asked.value
 order by need.task, need.on_task;
