-- last-run-of: newest attempt at a card, whatever became of it.
-- in   :task
select * from run where task = :task order by attempt desc limit 1;
