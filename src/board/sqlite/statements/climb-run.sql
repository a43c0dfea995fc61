-- climb-run: the highest rung used.
-- in   :run :fence :rung
update run set rung = :rung where id = :run and fence = :fence and rung is not 'KILL';
