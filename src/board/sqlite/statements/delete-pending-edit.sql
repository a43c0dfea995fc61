-- delete-pending-edit: taken over, or overtaken.
-- in   :task
delete from pending_edit where task = :task;
