-- import-run: an ended attempt of a card of another board. It has no process, no token and no directory here.
-- in   its fields; :settings holds no more than what it has said that it spent
-- out  its id
insert into run (task, attempt, fence, phase, lane, account, folder, slot, probe, nonce, settings, outcome, exit_code, signal, reason,
                 output_tail, result, data, input_tokens, cached_tokens, output_tokens, calls, claimed_at_ms, exited_at_ms,
                 settled_at_ms, peak_rss_bytes, cpu_seconds, released_by, pruned_at_ms, call_kind, call_code,
                 call_text, call_at_ms)
values (:task, :attempt, 1, 'settled', :lane, :account, '', 0, 0, 'imported', :settings, :outcome, :exitCode, :signal, :reason,
        :outputTail, :result, :data, :inputTokens, :cachedTokens, :outputTokens, :calls, :claimedAtMs, :exitedAtMs,
        :settledAtMs, :peakRssBytes, :cpuSeconds, :releasedBy, :nowMs, :callKind, :callCode, :callText, :callAtMs);
