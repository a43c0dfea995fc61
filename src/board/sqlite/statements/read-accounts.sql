-- read-accounts: accounts in force.
select name, slots from account order by name;
