-- reopen-batch: takes the verdict away; the batch goes on.
-- in   :batch
-- out  1 when it had ended
update batch set exit_code = null, verdict_text = null, ended_at_ms = null where id = :batch and ended_at_ms is not null;
