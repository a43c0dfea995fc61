-- insert-queue: makes the queue of a group and folder.
-- in   :queueGroup :folder
insert into queue (queue_group, folder) values (:queueGroup, :folder) on conflict do nothing;
