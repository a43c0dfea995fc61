-- usage-of-slots: what the open attempts occupy.
-- out  task, batch, lane, account, folder, slot, whether its process has ended, and whether otherwise than done
select run.task, run.batch, run.lane, run.account, run.folder, run.slot, run.outcome is not null as ended,
       coalesce(run.outcome <> 'done', 0) as endedBadly
  from run
 where settled_at_ms is null;
