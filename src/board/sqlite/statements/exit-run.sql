-- exit-run: how it ended, once.
-- in   the facts, :spent (JSON or null: goes into the settings, which hold what else is JSON of a run), :run, :fence, :nowMs
-- out  1 when it was still open
update run
   set phase = 'exited', outcome = :outcome, exit_code = :exitCode, signal = :signal, reason = :reason,
       output_tail = :outputTail, result = :result, data = :data, input_tokens = :inputTokens,
       cached_tokens = :cachedTokens, output_tokens = :outputTokens, calls = :calls,
       settings = iif(:spent is null, settings, json_set(settings, '$.spent', json(:spent))),
       stop_delivered = max(stop_delivered, :stopDelivered),
       peak_rss_bytes = :peakRssBytes, cpu_seconds = :cpuSeconds, exited_at_ms = :nowMs
 where id = :run and fence = :fence and phase in ('claimed', 'started');
