-- rewrite-task: new text, lane, priority and queue of a card.
-- in   the new values, :task
update task
   set title = :title, kind = :kind, labels = :labels, lane = :lane, priority = :priority, rank = -:priority, queue_group = :queueGroup,
       folder = :folder, changed_at_ms = :nowMs
 where id = :task;
