-- insert-need: a link; a changed `when` replaces the old one.
-- in   :task :onTask :onEnd
insert into need (task, on_task, on_end) values (:task, :onTask, :onEnd)
on conflict do update set on_end = :onEnd;
