-- write-yard: new limits of the yard.
-- in   :slots
update yard set slots = :slots, revision = revision + 1;
