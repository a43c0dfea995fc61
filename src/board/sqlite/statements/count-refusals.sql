-- count-refusals: what a run has asked for and may not do, told on its task.
-- in   :task :run
select count(*) as refusals from event where task = :task and run = :run and kind = 'run.refused';
