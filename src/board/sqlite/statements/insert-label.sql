-- insert-label: a label of a card.
-- in   :label :rank :task
insert into task_label (label, rank, task) values (:label, :rank, :task) on conflict do nothing;
