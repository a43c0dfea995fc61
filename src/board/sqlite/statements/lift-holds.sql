-- lift-holds: lifts pause and drain of a scope.
-- in   :scope :name
delete from hold where scope = :scope and name = :name;
