-- ends-of: how the attempts since a run ended, newest first.
-- in   :task :after (a run id), :limit
select id, outcome, exited_at_ms, exit_code, counts_to_cap, claimed_from
  from run
 where task = :task and id > :after and outcome is not null
 order by attempt desc
 limit :limit;
