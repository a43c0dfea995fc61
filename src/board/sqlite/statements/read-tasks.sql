-- read-tasks: some cards, in the order of their ids.
-- in   :tasks (ids, a JSON list)
select task.* from json_each(:tasks) as asked join task on task.id = asked.value order by task.id;
