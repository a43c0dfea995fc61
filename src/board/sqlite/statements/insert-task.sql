-- insert-task: a new card.
-- in   its fields
-- out  its id
insert into task (board, batch, row_key, key, title, kind, lane, status, priority, rank, labels, queue_group, folder, open_needs,
                  not_before_ms, created_by, created_at_ms, changed_at_ms)
values (:board, :batch, :rowKey, :key, :title, :kind, :lane, :status, :priority, -:priority, :labels, :queueGroup, :folder, :openNeeds,
        :notBeforeMs, :by, :nowMs, :nowMs);
