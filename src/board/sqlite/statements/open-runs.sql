-- open-runs: attempts whose process tree may still be there, oldest first.
select * from run indexed by run_open where settled_at_ms is null order by id;
