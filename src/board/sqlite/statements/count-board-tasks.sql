-- count-board-tasks: kept counts of one board, or of all.
-- in   :board or null
-- out  status, tasks
select status, sum(tasks) as tasks
  from board_count
 where :board is null or board = :board
 group by status;
