-- refusals-of-run: what a run has asked for and may not do, told on its task.
-- in   :task :run :limit
select seq from event
 where task = :task and run = :run and kind = 'run.refused'
 order by seq limit :limit;
