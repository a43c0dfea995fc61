-- last-runs: newest attempts at some cards, without all that they left.
-- in   :tasks (ids, a JSON list)
select run.id, run.task, run.batch, run.attempt, run.fence, run.phase, run.lane, run.account, run.folder, run.slot, run.probe,
       run.nonce, run.pid, run.fingerprint, run.settings, run.stop_kind, run.stop_by, run.stop_text, run.stop_at_ms,
       run.stop_delivered, run.rung, run.outcome, run.exit_code, run.signal, run.reason, run.output_tail,
       substr(run.result, -1000) as result_tail, run.input_tokens, run.cached_tokens, run.output_tokens, run.calls,
       run.claimed_at_ms, run.started_at_ms, run.started_monotonic, run.exited_at_ms, run.settled_at_ms, run.machine,
       run.hub, run.token_hash, run.call_kind, run.call_code, substr(run.call_text, 1, 1001) as call_text, null as call_data, run.call_at_ms, run.call_on_task,
       run.heartbeat_at_ms, run.late_calls, run.peak_rss_bytes, run.cpu_seconds, run.released_by, run.pruned_at_ms,
       run.stage, run.stage_over, run.claimed_from
  from json_each(:tasks) as asked
  join run on run.task = asked.value
          and run.attempt = (select max(newer.attempt) from run as newer where newer.task = asked.value);
