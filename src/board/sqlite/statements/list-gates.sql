-- list-gates: all gates that were ever closed.
select * from gate order by account;
