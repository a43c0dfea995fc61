-- next-batch-stop: the next time at which a running batch's time is over.
-- in   :nowMs
select min(json_extract(limits, '$.stopAtMs')) as at_ms
  from batch
 where ended_at_ms is null and cut is null and json_extract(limits, '$.stopAtMs') > :nowMs;
