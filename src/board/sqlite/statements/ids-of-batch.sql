-- ids-of-batch: all cards of a batch, in the order of its file.
-- in   :batch
select id from task where batch = :batch order by id;
