-- end-batch: gives the verdict, once.
-- in   :batch :exitCode :text :nowMs
-- out  1 when it had none
update batch
   set exit_code = :exitCode, verdict_text = :text, ended_at_ms = :nowMs
 where id = :batch and ended_at_ms is null;
