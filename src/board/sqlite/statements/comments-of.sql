-- comments-of: remarks on a card, oldest first.
-- in   :task
select at_ms, by, text from comment where task = :task order by id;
