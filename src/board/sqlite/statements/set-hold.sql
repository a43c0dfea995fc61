-- set-hold: a pause or drain; the first one of its kind stays, but a person's takes the place of the hub's own.
-- in   :scope :name :kind :by :hub :text :nowMs
-- out  1 when it is new or another's now
insert into hold (scope, name, kind, set_by, text, since_ms)
values (:scope, :name, :kind, :by, :text, :nowMs)
on conflict do update set set_by = :by, text = :text, since_ms = :nowMs
 where set_by = :hub and :by <> :hub;
