-- insert-event: a fact, appended.
-- out  its sequence number
insert into event (at_ms, kind, board, batch, task, run, by, text, data)
values (:nowMs, :kind, :board, :batch, :task, :run, :by, :text, :data);
