-- read-gate: gate of an account.
-- in   :account
select * from gate where account = :account;
