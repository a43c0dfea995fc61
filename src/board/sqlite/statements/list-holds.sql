-- list-holds: all holds, oldest first.
select * from hold order by since_ms, scope, name, kind;
