-- events-after: facts after a sequence number.
-- in   :seq :limit
select * from event where seq > :seq order by seq limit :limit;
