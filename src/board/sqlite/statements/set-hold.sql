-- set-hold: a pause or drain; the first one of its kind stays.
-- in   :scope :name :kind :by :text :nowMs
-- out  1 when it is new
insert into hold (scope, name, kind, set_by, text, since_ms)
values (:scope, :name, :kind, :by, :text, :nowMs)
on conflict do nothing;
