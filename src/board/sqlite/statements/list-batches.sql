-- list-batches: batches, newest first.
-- in   :before (an id), :limit
select * from batch where id < :before order by id desc limit :limit;
