-- read-queue-group: one group, as `ready-groups` gives it.
-- in   :queueGroup
select queue_group.id, queue_group.board, queue_group.batch, queue_group.lane, queue_group.ready, board.served,
       lane.account, lane.name is not null as known
  from queue_group
  join board on board.name = queue_group.board
  left join lane on lane.name = queue_group.lane
 where queue_group.id = :queueGroup;
