-- forget-file: a file does not belong to its card any more; its bytes go when nothing else has them.
-- in   :attachment
delete from attachment where id = :attachment;
