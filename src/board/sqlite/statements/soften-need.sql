-- soften-need: any end of the needed card satisfies the link from now on.
-- in   :task :onTask
-- out  1 when it asked for more until now
update need set on_end = 'always' where task = :task and on_task = :onTask and on_end = 'done';
