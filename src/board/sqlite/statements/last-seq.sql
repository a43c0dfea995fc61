-- last-seq: the newest sequence number, 0 for none.
select ifnull(max(seq), 0) as seq from event;
