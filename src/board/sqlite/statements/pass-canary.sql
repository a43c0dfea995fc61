-- pass-canary: the canary ended well; the others may start.
-- in   :batch
update batch set canary = 'passed' where id = :batch and canary = 'open';
