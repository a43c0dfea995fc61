-- usage-of-slots: what the open attempts occupy.
-- out  task, batch, lane, account, folder, slot, and whether its process has ended
select run.task, run.batch, run.lane, run.account, run.folder, run.slot, run.outcome is not null as ended
  from run
 where settled_at_ms is null;
