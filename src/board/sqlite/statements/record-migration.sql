-- record-migration: notes that a migration went into this file.
-- in   :number :name :sha256 :atMs
insert into migration (number, name, sha256, at_ms) values (:number, :name, :sha256, :atMs);
