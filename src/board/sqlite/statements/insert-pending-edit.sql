-- insert-pending-edit: what an edited file says of a running card.
-- in   :task :edit
insert into pending_edit (task, edit) values (:task, :edit)
on conflict do update set edit = :edit;
