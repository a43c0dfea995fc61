-- import-task: a card of another board, as it stands.
-- in   its fields
-- out  its id
insert into task (board, key, title, kind, lane, status, priority, rank, labels, queue_group, folder, open_needs, failures, runs,
                  not_before_ms, hold_code, hold_text, hold_by, created_by, created_at_ms, changed_at_ms, settled_at_ms)
values (:board, :key, :title, :kind, :lane, :status, :priority, -:priority, :labels, :queueGroup, :folder, :openNeeds, :failures, :runs,
        :notBeforeMs, :holdCode, :holdText, :holdBy, :createdBy, :createdAtMs, :nowMs, :settledAtMs);
