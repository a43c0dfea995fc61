-- insert-account: an account in force.
-- in   :name :slots
insert into account (name, slots) values (:name, :slots);
