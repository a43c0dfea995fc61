-- last-run-of: newest attempt at a card, 0 for none.
-- in   :task
select ifnull(max(id), 0) as run from run where task = :task;
