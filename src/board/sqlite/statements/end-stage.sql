-- end-stage: the process of a stage has ended with its tree; the attempt goes on.
-- in   :run :fence :stage :judged
-- out  1 when it was in that stage
update run set stage_over = 1, judged = ifnull(:judged, judged)
 where id = :run and fence = :fence and phase = 'started' and stage = :stage and stage_over = 0;
