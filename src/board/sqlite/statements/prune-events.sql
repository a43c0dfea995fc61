-- prune-events: removes facts between two sequence numbers that are older than a time. What concerns an open card or batch
-- stays, and so does the newest fact of all and what says when hubs were up.
-- in   :after :upto :before
-- out  how many
delete from event
 where seq > :after and seq <= :upto and at_ms < :before
   and seq < (select max(seq) from event)
   and kind not in ('hub.started', 'hub.stopped')
   and (task is null
        or exists (select 1 from task where task.id = event.task and task.settled_at_ms < :before))
   and (batch is null
        or exists (select 1 from batch where batch.id = event.batch and batch.ended_at_ms < :before));
