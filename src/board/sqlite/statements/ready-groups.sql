-- ready-groups: groups with something that could start, with their account and when their board was served. Batches that
-- start nothing new are left out, because what they left unfinished stays for good.
select queue_group.id, queue_group.board, queue_group.batch, queue_group.lane, queue_group.ready, board.served,
       lane.account, lane.name is not null as known
  from queue_group
  join board on board.name = queue_group.board
  left join lane on lane.name = queue_group.lane
  left join batch on batch.id = queue_group.batch
 where queue_group.ready > 0 and batch.cut is null;
