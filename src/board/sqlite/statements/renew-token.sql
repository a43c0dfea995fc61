-- renew-token: another token for an attempt whose work has not begun; the one before opens nothing any more.
-- in   :run :tokenHash
-- out  1 when it is so
update run set token_hash = :tokenHash
 where id = :run and (phase = 'claimed' or (phase = 'started' and stage = 'prepare'));
