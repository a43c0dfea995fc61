-- end-stage: the process of a stage has ended with its tree; the attempt goes on.
-- in   :run :fence :stage :judged
-- out  1 when it was in that stage
update run
   set stage_over = 1, judged = ifnull(:judged, judged),
       -- Said of this process alone: the next stage has limits of its own.
       stop_by = iif(stop_kind in ('timeout', 'stall', 'memory', 'linger'), null, stop_by),
       stop_text = iif(stop_kind in ('timeout', 'stall', 'memory', 'linger'), null, stop_text),
       stop_at_ms = iif(stop_kind in ('timeout', 'stall', 'memory', 'linger'), null, stop_at_ms),
       stop_delivered = iif(stop_kind in ('timeout', 'stall', 'memory', 'linger'), 0, stop_delivered),
       rung = iif(stop_kind in ('timeout', 'stall', 'memory', 'linger'), null, rung),
       stop_kind = iif(stop_kind in ('timeout', 'stall', 'memory', 'linger'), null, stop_kind)
 where id = :run and fence = :fence and phase = 'started' and stage = :stage and stage_over = 0;
