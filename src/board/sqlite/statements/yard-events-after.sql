-- yard-events-after: facts about the yard as a whole. The list of kinds is that of the index `event_yard`, word for word.
-- in   :seq :limit
select * from event
 where kind in ('account.closed', 'account.opened', 'hub.started', 'hub.stopped', 'run.adopted', 'hold.set', 'hold.lifted',
                    'disk.low', 'disk.enough', 'store.backed_up', 'store.restored')
   and seq > :seq
 order by seq
 limit :limit;
