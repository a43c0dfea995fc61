-- delete-labels: before the labels of a card are written anew.
-- in   :task
delete from task_label where task = :task;
