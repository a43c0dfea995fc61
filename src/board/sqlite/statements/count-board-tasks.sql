-- count-board-tasks: kept counts of one board, or of all.
-- in   :board or null
-- out  status, tasks, and how many of them are archived
select status, sum(tasks) as tasks, sum(archived) as archived
  from board_count
 where :board is null or board = :board
 group by status;
