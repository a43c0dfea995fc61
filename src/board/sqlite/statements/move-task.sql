-- move-task: writes where a card stands, where it still stands as it was read.
-- in   the new values, :task, :fromStatus, :fromRun
-- out  1, or 0 when somebody else was faster
update task
   set status = :status, open_needs = :openNeeds, open_run = :openRun, failures = :failures, tempfails = :tempfails,
       runs = :runs, reset_run = :resetRun, not_before_ms = :notBeforeMs, hold_code = :holdCode, hold_text = :holdText,
       hold_by = :holdBy, wish = :wish, wish_by = :wishBy, wish_text = :wishText, canary = :canary,
       queue_group = :queueGroup, review_lane = :reviewLane, from_review = :fromReview, review_failures = :reviewFailures,
       rejections = :rejections,
       changed_at_ms = :nowMs, settled_at_ms = :settledAtMs,
       archived_at_ms = :archivedAtMs, archived_by = :archivedBy
 where id = :task and status = :fromStatus and open_run is :fromRun;
