-- insert-board: makes a board at its first task.
-- in   :board :nowMs
-- out  1 when it is new
insert into board (name, created_at_ms) values (:board, :nowMs) on conflict do nothing;
