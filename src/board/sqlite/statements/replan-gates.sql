-- replan-gates: lets an account that was closed on a clock which has been set back since be held as long from now.
-- in   :nowMs
-- out  rows changed
update gate set until_ms = :nowMs + (until_ms - since_ms), since_ms = :nowMs
 where until_ms is not null and since_ms > :nowMs;
