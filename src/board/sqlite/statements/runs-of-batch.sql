-- runs-of-batch: attempts at the cards of a batch, oldest first, without all that they left.
-- in   :batch
select run.id, run.task, run.batch, run.attempt, run.fence, run.phase, run.lane, run.account, run.folder, run.slot, run.probe,
       run.nonce, run.pid, run.fingerprint, run.settings, run.stop_kind, run.stop_by, run.stop_text, run.stop_at_ms,
       run.stop_delivered, run.rung, run.outcome, run.exit_code, run.signal, run.reason, run.output_tail,
       substr(run.result, -1000) as result_tail, run.input_tokens, run.cached_tokens, run.output_tokens, run.calls,
       run.claimed_at_ms, run.started_at_ms, run.started_monotonic, run.exited_at_ms, run.settled_at_ms
  from task join run on run.task = task.id
 where task.batch = :batch
 order by run.task, run.attempt;
