-- last-change-of: what the newest attempt at a card that left a change has changed.
-- in   :task
select change.* from run join change on change.run = run.id where run.task = :task order by run.attempt desc limit 1;
