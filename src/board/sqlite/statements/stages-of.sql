-- stages-of: stages of an attempt beside its work, oldest first.
-- in   :run
select * from stage where run = :run order by id;
