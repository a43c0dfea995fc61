-- rewrite-spec: new texts of a card.
-- in   :task :spec, :digest of what its file said, or null where no file did
update task_spec set spec = :spec, digest = ifnull(:digest, digest) where task = :task;
