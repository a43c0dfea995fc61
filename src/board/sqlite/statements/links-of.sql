-- links-of: ids of what a card needs.
-- in   :task
select on_task from need where task = :task order by on_task;
