-- runs-of-batch: attempts at the cards of a batch, oldest first, with all that they left.
-- in   :batch
select run.*
  from task join run on run.task = task.id
 where task.batch = :batch
 order by run.task, run.attempt;
