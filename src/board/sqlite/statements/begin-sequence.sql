-- begin-sequence: the same for a table that has never had a row.
-- in   :name (a table) :least
insert into sqlite_sequence (name, seq)
  select :name, :least where not exists (select 1 from sqlite_sequence where name = :name);
