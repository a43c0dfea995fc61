-- find-last-batch: the newest batch of a name, on one board or on any.
-- in   :board or null, :name
select * from batch
 where name = :name and (:board is null or board = :board)
 order by id desc
 limit 1;
