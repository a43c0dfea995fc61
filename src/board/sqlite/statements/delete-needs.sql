-- delete-needs: takes all links of a card away.
-- in   :task
delete from need where task = :task;
