-- page-of-all: places of all cards in one status, in claim order, after a place; archived ones are not there.
-- in   :status :rank :task (the place before the first), :limit, and what else must hold or null
-- out  rank, id
-- Two pieces, because a row value with the row id in it, (rank, id) > (…), is walked from the first card of the rank on.
select rank, id from task indexed by task_by_status
 where status = :status and archived_at_ms is null and rank = :rank and id > :task
union all
select rank, id from task indexed by task_by_status
 where status = :status and archived_at_ms is null and rank > :rank
 order by 1, 2
 limit :limit;
