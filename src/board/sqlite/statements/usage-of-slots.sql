-- usage-of-slots: what the open attempts occupy.
-- out  task, batch, lane, account, folder, slot, whether its process has ended, and whether otherwise than done;
--      elsewhere: another machine than this home's has started it (the home was copied), so it uses nothing of this one
select run.task, run.batch, run.lane, run.account, run.folder, run.slot, run.outcome is not null as ended,
       coalesce(run.outcome <> 'done', 0) as endedBadly,
       coalesce(run.machine <> (select machine from yard), 0) as elsewhere
  from run
 where settled_at_ms is null;
