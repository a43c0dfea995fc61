-- write-machine: from now on this machine works this home.
-- in   :machine
update yard set machine = :machine;
