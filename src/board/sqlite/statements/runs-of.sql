-- runs-of: attempts at a card, oldest first.
-- in   :task
select * from run where task = :task order by attempt;
