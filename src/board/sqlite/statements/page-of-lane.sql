-- page-of-lane: places of the cards of a lane in one status, in claim order, after a place; archived ones are not there.
-- in   :status :rank :task (the place before the first), :limit, and what else must hold or null
-- out  rank, id
-- Two pieces, because a row value with the row id in it, (rank, id) > (…), is walked from the first card of the rank on.
select rank, id from task indexed by task_by_lane
 where lane = :lane and status = :status and archived_at_ms is null and rank = :rank and id > :task and (:board is null or board = :board)
union all
select rank, id from task indexed by task_by_lane
 where lane = :lane and status = :status and archived_at_ms is null and rank > :rank and (:board is null or board = :board)
 order by 1, 2
 limit :limit;
