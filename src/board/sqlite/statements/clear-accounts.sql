-- clear-accounts: before the accounts in force are written.
delete from account;
