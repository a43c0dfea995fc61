-- insert-lane: a lane in force.
-- in   :name :account :slots
insert into lane (name, account, slots) values (:name, :account, :slots);
