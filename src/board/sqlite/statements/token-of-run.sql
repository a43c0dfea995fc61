-- token-of-run: what a token is held to.
-- in   :run
select id, task, fence, phase, token_hash from run where id = :run;
