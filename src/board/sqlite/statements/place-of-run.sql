-- place-of-run: the card, board and batch of one attempt.
-- in   :run
select run.task, task.board, task.batch from run join task on task.id = run.task where run.id = :run;
