-- tasks-of-board: the next cards of a board, oldest first, archived ones too.
-- in   :board :after :limit
select * from task where board = :board and id > :after order by id limit :limit;
