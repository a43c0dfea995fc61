-- stop-run: why we end it; the first reason stays.
-- in   :run :kind :by :text :nowMs
-- out  1 when it is the first
update run
   set stop_kind = :kind, stop_by = :by, stop_text = :text, stop_at_ms = :nowMs
 where id = :run and phase in ('claimed', 'started') and stop_kind is null;
