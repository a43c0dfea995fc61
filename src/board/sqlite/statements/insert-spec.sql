-- insert-spec: the texts of a new card, and the digest of what was asked for.
-- in   :task :spec :digest
insert into task_spec (task, spec, digest) values (:task, :spec, :digest);
