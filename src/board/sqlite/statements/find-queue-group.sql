-- find-queue-group: the group of a board, batch and lane.
-- in   :board :batch :lane
select id from queue_group where board = :board and ifnull(batch, 0) = ifnull(:batch, 0) and lane = :lane;
