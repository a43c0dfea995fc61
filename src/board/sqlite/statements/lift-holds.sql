-- lift-holds: lifts pause and drain of a scope; those of everybody, or of one.
-- in   :scope :name :setBy (null for everybody)
delete from hold where scope = :scope and name = :name and (:setBy is null or set_by = :setBy);
