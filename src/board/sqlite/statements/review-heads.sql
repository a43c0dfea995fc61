-- review-heads: first cards of a group that its lane is to review.
-- in   :queueGroup :limit
-- out  task, rank, folder, review: 1
select id as task, rank, folder, 1 as review
  from task indexed by task_to_review
 where queue_group = :queueGroup and status = 'review' and review_lane is not null and not_before_ms is null
 order by rank, id
 limit :limit;
