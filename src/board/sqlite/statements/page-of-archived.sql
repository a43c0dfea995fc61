-- page-of-archived: places of the archived cards in one status, in claim order, after a place.
-- in   :status :rank :task (the place before the first), :limit, :label or null, and what else must hold or null
-- out  rank, id
-- Two pieces, because a row value with the row id in it, (rank, id) > (…), is walked from the first card of the rank on.
select rank, id from task indexed by task_archived
 where archived_at_ms is not null and status = :status and rank = :rank and id > :task
   and (:board is null or board = :board) and (:batch is null or batch = :batch) and (:lane is null or lane = :lane)
   and (:label is null or exists (select 1 from json_each(labels) as own where own.value = :label))
union all
select rank, id from task indexed by task_archived
 where archived_at_ms is not null and status = :status and rank > :rank
   and (:board is null or board = :board) and (:batch is null or batch = :batch) and (:lane is null or lane = :lane)
   and (:label is null or exists (select 1 from json_each(labels) as own where own.value = :label))
 order by 1, 2
 limit :limit;
