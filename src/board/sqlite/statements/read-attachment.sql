-- read-attachment: one file of a card.
-- in   :attachment
select * from attachment where id = :attachment;
