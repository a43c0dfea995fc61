-- serve-board: notes the newest run that was given to a board.
-- in   :board :run
update board set served = :run where name = :board;
