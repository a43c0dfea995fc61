-- last-hub-time: when a hub last did something here: its own comings and goings, and the newest 100 attempts, since a
-- hub that was killed says no farewell. The list of kinds is that of the index `event_yard`, word for word.
-- out  at_ms, null where there never was a hub
select nullif(max(
  ifnull((
    select at_ms from event
     where kind in ('account.closed', 'account.opened', 'hub.started', 'hub.stopped', 'run.adopted', 'hold.set', 'hold.lifted',
                    'disk.low', 'disk.enough', 'store.backed_up', 'store.restored')
       and kind in ('hub.started', 'hub.stopped')
     order by seq desc limit 1), 0),
  ifnull((
    select max(max(claimed_at_ms, ifnull(exited_at_ms, 0), ifnull(settled_at_ms, 0))) from run
     where id > (select max(id) from run) - 100), 0)
), 0) as at_ms;
