-- 0002-process-truth: who worked where, what a run said of itself, what it used, and what a person took out of sight.

-- One row for each start of a hub. Its instance id tells two starts apart that share host name and pid.
create table hub (
  instance      text primary key check (instance <> ''),
  -- The OS's machine id: a home that was copied meets another one.
  machine       text not null,
  -- Its host name, for people: two machines may share one.
  host          text not null,
  pid           integer not null check (pid > 0),
  version       text not null,
  -- service: started by a service manager, which starts it again by itself. person: typed.
  started_by    text not null check (started_by in ('service', 'person')),
  started_at_ms integer not null,
  -- Null while it works, and for ever where it was killed: an unclean stop.
  stopped_at_ms integer check (stopped_at_ms >= started_at_ms)
) strict, without rowid;
create index hub_started on hub (started_at_ms);

-- The machine that works this home. Null in a file of an older program until a hub has started on it.
alter table yard add column machine text;

-- Where it was claimed: runs of another machine are neither probed nor signalled. Null: claimed before this was kept.
alter table run add column machine text;
alter table run add column hub text;
-- SHA-256 of the secret part of the token with which the run may speak for itself, hex. The token itself is nowhere.
alter table run add column token_hash text check (length(token_hash) = 64);

-- What the run said of its own end (complete, block, review, or waiting for another task): write-once.
alter table run add column call_kind text check (call_kind in ('complete', 'block', 'review', 'wait'));
alter table run add column call_code text check ((call_code is null) or (call_kind is not null));
alter table run add column call_text text check ((call_text is null) = (call_kind is null));
alter table run add column call_data text check (json_valid(call_data) and (call_data is null or call_kind is not null));
alter table run add column call_at_ms integer check ((call_at_ms is null) = (call_kind is null));
-- The task that a run with call_kind wait waits for.
alter table run add column call_on_task integer references task (id) check ((call_on_task is not null) = (call_kind is 'wait'));
create index run_waits_for on run (call_on_task) where call_on_task is not null;
-- The last sign of life that the run gave through the API.
alter table run add column heartbeat_at_ms integer;
-- What it asked for when it was over already: the first ones are events, all are counted.
alter table run add column late_calls integer not null default 0 check (late_calls >= 0);

-- Of the whole tree, as sampled: a floor, never an estimate.
alter table run add column peak_rss_bytes integer check (peak_rss_bytes >= 0);
alter table run add column cpu_seconds real check (cpu_seconds >= 0);

-- A person let the task go although this run may be alive: the one exception to "never two workers on one task".
alter table run add column released_by text;
-- Its directory was removed by retention: log and files are gone, this row stays.
alter table run add column pruned_at_ms integer check (pruned_at_ms is null or settled_at_ms is not null);

-- Out of sight, not out of the record: only settled tasks.
alter table task add column archived_at_ms integer
  check (archived_at_ms is null or status in ('done', 'failed', 'cancelled'));
alter table task add column archived_by text check ((archived_by is null) = (archived_at_ms is null));

-- Lists pass over what is archived without walking through it: its own index has it, the others do not.
create index task_archived on task (status, rank, id) where archived_at_ms is not null;
drop index task_by_status;
create index task_by_status on task (status, rank, id) where archived_at_ms is null;
drop index task_by_board;
create index task_by_board on task (board, status, rank, id) where archived_at_ms is null;
drop index task_by_lane;
create index task_by_lane on task (lane, status, rank, id, board) where archived_at_ms is null;
drop index task_by_batch;
create index task_by_batch on task (batch, status, rank, id, lane) where batch is not null and archived_at_ms is null;

-- Of `tasks`, those that are archived: the others are what lists show. Labels of an archived card are found through itself.
alter table board_count add column archived integer not null default 0 check (archived >= 0);
alter table batch_count add column archived integer not null default 0 check (archived >= 0);

create trigger task_archived_counted after update of archived_at_ms, batch on task
when (old.archived_at_ms is null) <> (new.archived_at_ms is null)
  or (new.archived_at_ms is not null and old.batch is not new.batch) begin
  update board_count set archived = archived - (old.archived_at_ms is not null)
   where board = old.board and status = old.status;
  update board_count set archived = archived + (new.archived_at_ms is not null)
   where board = new.board and status = new.status;
  update batch_count set archived = archived - (old.archived_at_ms is not null)
   where batch = old.batch and status = old.status;
  update batch_count set archived = archived + (new.archived_at_ms is not null)
   where batch = new.batch and status = new.status;
end;

create trigger task_archived_unlabelled after update of archived_at_ms on task
when (old.archived_at_ms is null) <> (new.archived_at_ms is null) begin
  delete from task_label where task = new.id;
  insert into task_label (label, rank, task)
    select distinct value, new.rank, new.id from json_each(new.labels) where new.archived_at_ms is null;
end;

-- Retention walks these in batches.
create index run_to_prune on run (settled_at_ms) where settled_at_ms is not null and pruned_at_ms is null;

-- Facts about the yard as a whole, with those about its disk and its store.
drop index event_yard;
create index event_yard on event (seq)
  where kind in ('account.closed', 'account.opened', 'hub.started', 'hub.stopped', 'run.adopted', 'hold.set', 'hold.lifted',
                 'disk.low', 'disk.enough', 'store.backed_up', 'store.restored');
