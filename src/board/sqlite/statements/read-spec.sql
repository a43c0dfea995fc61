-- read-spec: the texts of a card.
-- in   :task
select spec, digest from task_spec where task = :task;
