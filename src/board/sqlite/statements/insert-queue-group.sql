-- insert-queue-group: makes the group of a board, batch and lane.
-- in   :board :batch :lane
insert into queue_group (board, batch, lane) values (:board, :batch, :lane) on conflict do nothing;
