-- forget-canaries: a resumed batch sends out new ones.
-- in   :batch
update task indexed by task_canary set canary = 0 where batch = :batch and canary = 1;
