-- find-open-key: who holds a duplicate guard.
-- in   :board :key
select * from task
 where board = :board and key = :key and status not in ('done', 'failed', 'cancelled');
