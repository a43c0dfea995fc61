-- count-remarks: remarks of one author on a card.
-- in   :task :by
select count(*) as remarks from comment where task = :task and by = :by;
