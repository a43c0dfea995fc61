-- read-run: one attempt.
-- in   :run
select * from run where id = :run;
