-- groups-of-batch: how much of a batch is ready, by lane, from the kept counts.
-- in   :batch
-- out  lane, tasks
select lane, sum(ready + later) as tasks
  from queue_group
 where batch = :batch and ready + later > 0
 group by lane;
