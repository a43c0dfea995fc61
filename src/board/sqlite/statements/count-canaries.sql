-- count-canaries: how many canaries a batch has sent out, how many are done, lost, or may still be done by themselves. One
-- that waits for its needs again (they were opened again) gives its place to them.
-- in   :batch
select ifnull(sum(status not in ('triage', 'todo')), 0) as sent,
       ifnull(sum(status = 'done'), 0) as done,
       ifnull(sum(status in ('failed', 'cancelled')), 0) as lost,
       ifnull(sum(status = 'running' or claimable = 1), 0) as going
  from task indexed by task_canary
 where batch = :batch and canary = 1;
