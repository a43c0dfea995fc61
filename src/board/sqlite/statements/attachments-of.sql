-- attachments-of: files of a card, in the order of their ids.
-- in   :task
select * from attachment where task = :task order by id;
