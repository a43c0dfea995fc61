-- read-pending-edit: what waits to be taken over.
-- in   :task
select edit from pending_edit where task = :task;
