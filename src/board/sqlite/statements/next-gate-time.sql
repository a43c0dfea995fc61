-- next-gate-time: the next time at which a closed gate lets one through.
-- in   :nowMs
select min(until_ms) as at_ms from gate where until_ms > :nowMs and parked_by is null;
