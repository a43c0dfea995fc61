-- insert-run: an attempt, claimed.
-- in   its fields
-- out  its id
insert into run (task, batch, attempt, fence, phase, lane, account, folder, slot, probe, nonce, settings, token_hash,
                 machine, hub, claimed_from, claimed_at_ms)
values (:task, :batch, :attempt, :fence, 'claimed', :lane, :account, :folder, :slot, :probe, :nonce, :settings, :tokenHash,
        :machine, :hub, :claimedFrom, :nowMs);
