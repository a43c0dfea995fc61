-- 0001-the-board: boards, batches, tasks, needs, runs, queues, accounts, holds, comments and events.
--
-- The schema refuses half-states: what the design's section 3 calls impossible is a CHECK, a foreign key or a unique
-- index here, so that neither a bug nor a person with a shell can make one. Times are wall-clock milliseconds.

-- Which migrations this file has been through.
create table migration (
  number integer primary key,
  name   text not null,
  sha256 text not null,
  at_ms  integer not null
) strict;

create table board (
  name          text primary key,
  -- Newest run that was given to it: the board with the least value was served longest ago.
  served        integer not null default 0,
  created_at_ms integer not null
) strict, without rowid;

create table batch (
  id                integer primary key autoincrement,
  board             text not null references board (name),
  name              text not null check (name <> ''),
  key               text,
  digest            text not null,
  file              text,
  limits            text not null check (json_valid(limits)),
  defaults          text not null check (json_valid(defaults)),
  -- none: no canary asked for. open: only canaries may start. passed: the others may start too.
  canary            text not null check (canary in ('none', 'open', 'passed')),
  -- Ends that had happened when it was last resumed: `halt` counts from there.
  halt_base_failed  integer not null default 0,
  halt_base_ended   integer not null default 0,
  cut               text check (cut in ('time', 'halt', 'canary', 'wall', 'cancelled')),
  cut_text          text,
  exit_code         integer check (exit_code in (0, 3, 5, 6, 7, 9)),
  verdict_text      text,
  created_by        text not null,
  created_at_ms     integer not null,
  ended_at_ms       integer,
  check ((cut is null) = (cut_text is null)),
  check ((exit_code is null) = (verdict_text is null)),
  check ((exit_code is null) = (ended_at_ms is null))
) strict;
create unique index batch_key on batch (board, name, key) where key is not null;
create index batch_name on batch (name, id);
create index batch_open on batch (id) where ended_at_ms is null;

-- What is held or let through together: tasks of one board, batch and lane (and so of one account).
create table queue_group (
  id    integer primary key,
  board text not null references board (name),
  batch integer references batch (id),
  lane  text not null,
  -- Tasks that could start now, and ready ones that wait for a time of their own.
  ready integer not null default 0 check (ready >= 0),
  later integer not null default 0 check (later >= 0)
) strict;
create unique index queue_group_key on queue_group (board, ifnull(batch, 0), lane);
create index queue_group_batch on queue_group (batch) where batch is not null;
create index queue_group_ready on queue_group (id) where ready > 0;

-- One queue of a group for each exclusive folder ('' for none), with its head: the first task that could start.
create table queue (
  queue_group integer not null references queue_group (id),
  folder      text not null,
  ready       integer not null default 0 check (ready >= 0),
  head_rank   integer,
  head_task   integer,
  primary key (queue_group, folder),
  check ((ready = 0) = (head_task is null)),
  check ((head_task is null) = (head_rank is null))
) strict, without rowid;
create index queue_heads on queue (queue_group, head_rank, head_task) where ready > 0;

create table task (
  id            integer primary key autoincrement,
  board         text not null references board (name),
  batch         integer references batch (id),
  row_key       text,
  key           text,
  title         text not null check (title <> ''),
  kind          text not null check (kind in ('prompt', 'run')),
  lane          text not null,
  status        text not null check (
                  status in ('triage', 'todo', 'ready', 'running', 'review', 'blocked', 'done', 'failed', 'cancelled')),
  priority      integer not null check (priority between -9 and 9),
  -- Claim order is (rank, id), both ascending, so that one index serves it and a cursor can go on in it.
  rank          integer not null check (rank = -priority),
  labels        text not null check (json_valid(labels)),
  queue_group   integer not null,
  folder        text not null,
  open_needs    integer not null check (open_needs >= 0),
  open_run      integer references run (id),
  failures      integer not null default 0 check (failures >= 0),
  -- `tempfail` ends since the last reset: the probe of a closed account prefers the task with the fewest.
  tempfails     integer not null default 0 check (tempfails >= 0),
  runs          integer not null default 0 check (runs >= 0),
  -- Caps and streaks count runs with a greater id.
  reset_run     integer not null default 0,
  not_before_ms integer,
  hold_code     text,
  hold_text     text,
  hold_by       text,
  wish          text check (wish in ('stop', 'cancel')),
  wish_by       text,
  wish_text     text,
  canary        integer not null default 0 check (canary in (0, 1)),
  created_by    text not null,
  created_at_ms integer not null,
  changed_at_ms integer not null,
  settled_at_ms integer,
  foreign key (queue_group, folder) references queue (queue_group, folder),
  check ((status = 'running') = (open_run is not null)),
  check ((status in ('done', 'failed', 'cancelled')) = (settled_at_ms is not null)),
  check (status <> 'ready' or open_needs = 0),
  check (status <> 'todo' or open_needs > 0),
  check (status = 'running' or wish is null),
  check ((wish is null) = (wish_by is null)),
  check ((batch is null) = (row_key is null)),
  check (key is null or batch is null)
) strict;
create unique index task_row_key on task (batch, row_key) where batch is not null;
create unique index task_key on task (board, key)
  where key is not null and status not in ('done', 'failed', 'cancelled');
create index task_by_key on task (key) where key is not null;
create index task_by_row_key on task (row_key) where row_key is not null;
create unique index task_open_run on task (open_run) where open_run is not null;
create index task_startable on task (queue_group, folder, rank, id) where status = 'ready' and not_before_ms is null;
create index task_probe on task (queue_group, tempfails, rank, id) where status = 'ready' and not_before_ms is null;
create index task_due on task (not_before_ms) where status = 'ready' and not_before_ms is not null;
create index task_canary on task (batch) where canary = 1;
create index task_by_status on task (status, rank, id);
create index task_by_board on task (board, status, rank, id);
create index task_by_lane on task (lane, status, rank, id, board);
create index task_by_batch on task (batch, status, rank, id, lane) where batch is not null;

-- The texts: apart, because lists never read them and a prompt may have megabytes.
create table task_spec (
  task     integer primary key references task (id),
  -- Kept before the text, so that a list of cards reads it without reading or parsing megabytes of prompts.
  attempts integer generated always as (json_extract(spec, '$.attempts')) stored,
  spec     text not null check (json_valid(spec)),
  digest   text not null
) strict;

-- What an edited batch file says of a task that is running: taken over when its attempt has ended and it is not done.
create table pending_edit (
  task integer primary key references task (id),
  edit text not null check (json_valid(edit))
) strict;

create table task_label (
  label text not null,
  rank  integer not null,
  task  integer not null references task (id),
  primary key (label, rank, task)
) strict, without rowid;
create index task_label_task on task_label (task);

create table need (
  task    integer not null references task (id),
  on_task integer not null references task (id),
  on_end  text not null check (on_end in ('done', 'always')),
  primary key (task, on_task),
  check (task <> on_task)
) strict, without rowid;
create index need_on_task on need (on_task, task);

create table run (
  id                integer primary key autoincrement,
  task              integer not null references task (id),
  batch             integer references batch (id),
  attempt           integer not null check (attempt > 0),
  fence             integer not null check (fence between 1 and 2147483647),
  phase             text not null check (phase in ('claimed', 'started', 'exited', 'settled')),
  lane              text not null,
  account           text,
  folder            text not null,
  slot              integer not null check (slot >= 0),
  probe             integer not null check (probe in (0, 1)),
  nonce             text not null,
  pid               integer check (pid > 1),
  fingerprint       text,
  settings          text not null check (json_valid(settings)),
  stop_kind         text check (stop_kind in ('cancel', 'stop', 'timeout', 'stall', 'memory', 'budget', 'drain', 'replace',
                      'shutdown', 'batch_time', 'linger')),
  stop_by           text,
  stop_text         text,
  stop_at_ms        integer,
  stop_delivered    integer not null default 0 check (stop_delivered in (0, 1)),
  rung              text check (rung in ('TERM', 'KILL')),
  -- Whether this end counts to the cap of its outcome.
  counts_to_cap     integer not null default 1 check (counts_to_cap in (0, 1)),
  outcome           text check (outcome in ('done', 'failed', 'tempfail', 'timed_out', 'stalled', 'killed', 'oom',
                      'incomplete', 'check_failed', 'check_error', 'launch_failed', 'stopped', 'cancelled', 'interrupted',
                      'lost', 'blocked', 'review', 'unknown')),
  exit_code         integer,
  signal            text,
  reason            text,
  output_tail       text,
  result            text,
  data              text check (json_valid(data)),
  input_tokens      integer,
  cached_tokens     integer,
  output_tokens     integer,
  calls             integer,
  claimed_at_ms     integer not null,
  started_at_ms     integer,
  started_monotonic text,
  exited_at_ms      integer,
  settled_at_ms     integer,
  unique (task, attempt),
  check ((pid is null) = (fingerprint is null)),
  check ((pid is null) = (started_at_ms is null)),
  check ((pid is null) = (started_monotonic is null)),
  check (phase <> 'claimed' or pid is null),
  check (phase <> 'started' or pid is not null),
  check ((phase in ('exited', 'settled')) = (outcome is not null)),
  check ((outcome is null) = (exited_at_ms is null)),
  check ((outcome is null) = (reason is null)),
  check ((phase = 'settled') = (settled_at_ms is not null)),
  check ((stop_kind is null) = (stop_by is null)),
  check ((stop_kind is null) = (stop_text is null)),
  check ((stop_kind is null) = (stop_at_ms is null)),
  check ((input_tokens is null) = (cached_tokens is null)),
  check ((input_tokens is null) = (output_tokens is null)),
  check ((input_tokens is null) = (calls is null))
) strict;
-- One open run for each task; one for each exclusive folder, until the tree of the run is gone.
create unique index run_open on run (task) where settled_at_ms is null;
create unique index run_folder on run (folder) where settled_at_ms is null and folder <> '';
-- Slot numbers are given back when the process has ended.
create unique index run_slot on run (slot) where outcome is null;

create table board_count (
  board  text not null references board (name),
  status text not null,
  tasks  integer not null check (tasks >= 0),
  primary key (board, status)
) strict, without rowid;

create table batch_count (
  batch  integer not null references batch (id),
  status text not null,
  tasks  integer not null check (tasks >= 0),
  primary key (batch, status)
) strict, without rowid;

-- The limits in force: yardmaster.yaml as the dispatcher last handed it in. One row.
create table yard (
  id       integer primary key check (id = 1),
  slots    integer not null check (slots > 0),
  revision integer not null
) strict;
insert into yard (id, slots, revision) values (1, 1, 0);

create table account (
  name  text primary key,
  slots integer check (slots > 0)
) strict, without rowid;

create table lane (
  name    text primary key,
  account text,
  slots   integer check (slots > 0)
) strict, without rowid;

-- Closed: one of until_ms, probe_run and parked_by is set. No row: never closed.
create table gate (
  account       text primary key,
  epoch         integer not null,
  until_ms      integer,
  probe_run     integer references run (id),
  parked_by     text,
  reason        text,
  closed_by_run integer references run (id),
  since_ms      integer,
  doublings     integer not null default 0,
  opened_at_ms  integer,
  check ((until_ms is null and probe_run is null and parked_by is null) = (since_ms is null)),
  check ((since_ms is null) = (reason is null))
) strict, without rowid;

create table hold (
  scope    text not null check (scope in ('all', 'board', 'lane', 'account')),
  -- '' for scope all.
  name     text not null,
  kind     text not null check (kind in ('pause', 'drain')),
  set_by   text not null,
  text     text,
  since_ms integer not null,
  primary key (scope, name, kind),
  check ((scope = 'all') = (name = ''))
) strict, without rowid;

create table comment (
  id    integer primary key,
  task  integer not null references task (id),
  at_ms integer not null,
  by    text not null,
  text  text not null
) strict;
create index comment_task on comment (task, id);

create table event (
  seq   integer primary key autoincrement,
  at_ms integer not null,
  kind  text not null,
  board text,
  batch integer,
  task  integer,
  run   integer,
  by    text not null,
  text  text not null,
  data  text not null check (json_valid(data))
) strict;
create index event_task on event (task, seq) where task is not null;
create index event_batch on event (batch, seq) where batch is not null;
-- What concerns the yard as a whole: few among the many about cards, and every report asks for them.
create index event_yard on event (seq)
  where kind in ('account.closed', 'account.opened', 'hub.started', 'hub.stopped', 'run.adopted', 'hold.set', 'hold.lifted');

-- Counts and heads are kept by the store itself, so that no path can forget them.

create trigger task_counted after insert on task begin
  insert into board_count (board, status, tasks) values (new.board, new.status, 1)
    on conflict do update set tasks = tasks + 1;
  insert into batch_count (batch, status, tasks) select new.batch, new.status, 1 where new.batch is not null
    on conflict do update set tasks = tasks + 1;
end;

create trigger task_recounted after update of status, batch on task
when old.status is not new.status or old.batch is not new.batch begin
  update board_count set tasks = tasks - 1 where board = old.board and status = old.status;
  insert into board_count (board, status, tasks) values (new.board, new.status, 1)
    on conflict do update set tasks = tasks + 1;
  update batch_count set tasks = tasks - 1 where batch = old.batch and status = old.status;
  insert into batch_count (batch, status, tasks) select new.batch, new.status, 1 where new.batch is not null
    on conflict do update set tasks = tasks + 1;
end;

create trigger task_queued after insert on task when new.status = 'ready' begin
  update queue_group
     set ready = ready + (new.not_before_ms is null), later = later + (new.not_before_ms is not null)
   where id = new.queue_group;
  update queue
     set ready = ready + 1, (head_rank, head_task) = (
           select rank, id from task
            where queue_group = new.queue_group and folder = new.folder
              and status = 'ready' and not_before_ms is null
            order by rank, id limit 1)
   where queue_group = new.queue_group and folder = new.folder and new.not_before_ms is null;
end;

-- One trigger for leaving and entering, because the order of two would not be defined.
create trigger task_moved_in_queue after update of status, not_before_ms, priority, queue_group, folder on task
when old.status = 'ready' or new.status = 'ready' begin
  update queue_group
     set ready = ready - (old.not_before_ms is null), later = later - (old.not_before_ms is not null)
   where id = old.queue_group and old.status = 'ready';
  update queue_group
     set ready = ready + (new.not_before_ms is null), later = later + (new.not_before_ms is not null)
   where id = new.queue_group and new.status = 'ready';
  update queue
     set ready = ready - (old.status = 'ready' and old.not_before_ms is null)
                       + (new.status = 'ready' and new.not_before_ms is null
                          and new.queue_group = old.queue_group and new.folder = old.folder),
         (head_rank, head_task) = (
           select rank, id from task
            where queue_group = old.queue_group and folder = old.folder
              and status = 'ready' and not_before_ms is null
            order by rank, id limit 1)
   where queue_group = old.queue_group and folder = old.folder;
  update queue
     set ready = ready + 1, (head_rank, head_task) = (
           select rank, id from task
            where queue_group = new.queue_group and folder = new.folder
              and status = 'ready' and not_before_ms is null
            order by rank, id limit 1)
   where queue_group = new.queue_group and folder = new.folder
     and (new.queue_group <> old.queue_group or new.folder <> old.folder)
     and new.status = 'ready' and new.not_before_ms is null;
end;

create trigger task_label_ranked after update of priority on task when old.priority <> new.priority begin
  update task_label set rank = -new.priority where task = new.id;
end;
