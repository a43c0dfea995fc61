-- forget-canaries: a resumed batch sends out new ones.
-- in   :batch
update task set canary = 0 where batch = :batch and canary = 1;
