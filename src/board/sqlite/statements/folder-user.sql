-- folder-user: who works in an exclusive folder.
-- in   :folder
-- out  task, run
select task, id as run from run where folder = :folder and settled_at_ms is null;
