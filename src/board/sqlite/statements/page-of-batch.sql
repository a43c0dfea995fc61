-- page-of-batch: places of one batch in one status, in claim order, after a place.
-- in   :status :rank :task (the place before the first), :limit, and what else must hold or null
-- out  rank, id
select rank, id from task
 where batch = :batch and status = :status and (rank, id) > (:rank, :task)
   and (:board is null or board = :board)
   and (:lane is null or lane = :lane)
 order by rank, id
 limit :limit;
