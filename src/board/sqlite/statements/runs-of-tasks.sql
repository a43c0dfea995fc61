-- runs-of-tasks: attempts at some cards, oldest first, with all that they left.
-- in   :tasks (ids, a JSON list)
select run.*
  from json_each(:tasks) as asked
  join run on run.task = asked.value
 order by run.task, run.attempt;
