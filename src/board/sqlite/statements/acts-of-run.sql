-- acts-of-run: what a run has done of one kind besides its own task, told on that task.
-- in   :task :run :act :limit
select seq from event
 where task = :task and run = :run and kind = 'run.acted' and json_extract(data, '$.act') = :act
 order by seq limit :limit;
