-- rewrite-batch: takes over what an edited file says of the batch as a whole.
-- in   :batch :digest :file :limits :defaults
update batch
   set digest = :digest, file = :file, limits = :limits, defaults = :defaults
 where id = :batch;
