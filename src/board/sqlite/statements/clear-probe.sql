-- clear-probe: a probe ended and nobody has said what it found: the next may go.
-- in   :run
update gate set probe_run = null where probe_run = :run;
