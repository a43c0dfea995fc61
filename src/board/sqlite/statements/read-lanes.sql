-- read-lanes: lanes in force.
select name, account, slots from lane order by name;
