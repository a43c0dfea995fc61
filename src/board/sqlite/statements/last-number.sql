-- last-number: the highest number that a table has given.
-- in   :name (a table)
select seq from sqlite_sequence where name = :name;
