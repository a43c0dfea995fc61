-- page-of-label: places of cards with a label, in claim order, after a place; archived ones have none here.
-- in   :label :status :rank :task (the place before the first), :limit, and what else must hold or null
-- out  rank, id
select task_label.rank, task.id
  from task_label join task on task.id = task_label.task
 where task_label.label = :label and (task_label.rank, task_label.task) > (:rank, :task)
   and task.status = :status
   and (:board is null or task.board = :board)
   and (:batch is null or task.batch = :batch)
   and (:lane is null or task.lane = :lane)
 order by task_label.rank, task_label.task
 limit :limit;
