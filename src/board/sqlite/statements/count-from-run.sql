-- count-from-run: caps and streaks of a card count the attempts after this one.
-- in   :task :run
update task set reset_run = :run where id = :task;
