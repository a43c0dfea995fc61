-- kept-files: files of cards in the order of their ids, after one, with how their cards stand.
-- in   :after :limit
-- out  id, status and archived_at_ms of the card
select attachment.id, task.status, task.archived_at_ms
  from attachment join task on task.id = attachment.task
 where attachment.id > :after
 order by attachment.id
 limit :limit;
