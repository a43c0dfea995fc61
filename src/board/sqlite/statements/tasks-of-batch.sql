-- tasks-of-batch: all cards of a batch, in the order of its file.
-- in   :batch
select * from task where batch = :batch order by id;
