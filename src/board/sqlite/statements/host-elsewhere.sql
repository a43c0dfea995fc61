-- host-elsewhere: where a run works that another machine than this home's has started.
-- in   :machine :hub of the run
-- out  host (its machine where the start of its hub is not known); no row for a run of this machine
select coalesce((select host from hub where instance = :hub), :machine) as host
  from yard
 where yard.machine is not null and yard.machine <> :machine;
