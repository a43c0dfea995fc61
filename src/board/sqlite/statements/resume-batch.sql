-- resume-batch: a person goes on with it: no cut any more, `halt` counts from here.
-- in   :batch :canary :failed :ended
update batch
   set cut = null, cut_text = null, canary = :canary, halt_base_failed = :failed, halt_base_ended = :ended
 where id = :batch;
