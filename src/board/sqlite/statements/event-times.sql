-- event-times: when the next facts after a sequence number were.
-- in   :seq :limit
select seq, at_ms from event where seq > :seq order by seq limit :limit;
