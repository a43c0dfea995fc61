-- raise-sequence: numbers up to this one are not given again.
-- in   :name (a table) :least
-- out  1 when it was lower
update sqlite_sequence set seq = :least where name = :name and seq < :least;
