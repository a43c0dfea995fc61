-- call-run: what it says of its own end, once.
-- in   :run :fence :kind :code :text :data :onTask :nowMs
-- out  1 when its work is not over and had said nothing
update run
   set call_kind = :kind, call_code = :code, call_text = :text, call_data = :data, call_on_task = :onTask,
       call_at_ms = :nowMs
 where id = :run and fence = :fence and phase in ('claimed', 'started') and stage = 'work' and stage_over = 0 and call_kind is null;
