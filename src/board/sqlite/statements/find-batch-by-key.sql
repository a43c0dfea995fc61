-- find-batch-by-key: the batch that holds a key.
-- in   :board :name :key
select * from batch where board = :board and name = :name and key = :key;
