-- find-by-key: cards with that duplicate guard or row key, on any board and in any batch.
-- in   :key
select id from task where key = :key
union
select id from task where row_key = :key;
