-- delete-need: takes a link away.
-- in   :task :onTask
-- out  1 when there was one
delete from need where task = :task and on_task = :onTask;
