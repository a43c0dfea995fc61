-- climb-run: the highest rung used.
-- in   :run :rung
update run set rung = :rung where id = :run and rung is not 'KILL';
