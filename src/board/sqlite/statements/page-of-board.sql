-- page-of-board: places of one board in one status, in claim order, after a place.
-- in   :status :rank :task (the place before the first), :limit, and what else must hold or null
-- out  rank, id
select rank, id from task
 where board = :board and status = :status and (rank, id) > (:rank, :task)
   and (:batch is null or batch = :batch)
   and (:lane is null or lane = :lane)
 order by rank, id
 limit :limit;
