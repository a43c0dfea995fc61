-- last-run-of: newest attempt at a card, 0 for none.
-- in   :task
select ifnull((select id from run where task = :task order by attempt desc limit 1), 0) as run;
