-- count-late-call: one more call of a run that is over.
-- in   :run
-- out  how many there were, this one included
update run set late_calls = late_calls + 1 where id = :run returning late_calls;
