-- find-last-keyless-batch: the newest batch of a name and file that has no key.
-- in   :board :name :file or null
select * from batch
 where name = :name and board = :board and key is null and file is :file
 order by id desc
 limit 1;
