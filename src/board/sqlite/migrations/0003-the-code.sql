-- 0003-the-code: stages of a run, what it changed in a repository, files that belong to a card, and reviews by a lane.

-- Which process of the run `pid` is, or was last. Work alone until something is to be done before or after it.
alter table run add column stage text not null default 'work'
  check (stage in ('prepare', 'work', 'check') and (stage = 'work' or pid is not null));
-- That process has ended with its tree, and the run goes on: with the next stage, or to its outcome.
alter table run add column stage_over integer not null default 0
  check (stage_over in (0, 1) and (stage_over = 0 or pid is not null));
-- What the work came to, kept while its changes are recorded and its check runs.
alter table run add column judged text
  check (judged is null or (json_valid(judged) and pid is not null and stage <> 'prepare'
                            and (stage = 'check' or stage_over = 1)));
-- Where its card waited when it was claimed. Out of review it is a reviewer's.
alter table run add column claimed_from text not null default 'ready' check (claimed_from in ('ready', 'review'));

-- One row for each stage beside the work; the work is the run itself.
create table stage (
  id            integer primary key,
  run           integer not null references run (id),
  kind          text not null check (kind in ('prepare', 'check')),
  command       text not null,
  started_at_ms integer not null,
  ended_at_ms   integer,
  exit_code     integer,
  signal        text,
  reason        text,
  output_tail   text,
  check ((ended_at_ms is null) = (reason is null)),
  check (ended_at_ms is not null or (exit_code is null and signal is null and output_tail is null))
) strict;
create index stage_of_run on stage (run);
create unique index stage_open on stage (run) where ended_at_ms is null;

create trigger stage_begins_in_its_run before insert on stage
when new.ended_at_ms is null and not exists (
  select 1 from run where id = new.run and phase = 'started' and stage = new.kind and stage_over = 0) begin
  select raise(abort, 'constraint failed: a stage is open only in a run that is in it');
end;

-- A run that ends in the middle of a stage ends it, so that no path can forget to. What its exit code and its last words
-- say is the stage's own only before the work.
create trigger run_ends_its_stage after update of outcome on run
when new.stage <> 'work' and old.outcome is null and new.outcome is not null begin
  update stage
     set ended_at_ms = new.exited_at_ms, reason = new.reason,
         exit_code = iif(kind = 'prepare', new.exit_code, null),
         signal = iif(kind = 'prepare', new.signal, null),
         output_tail = iif(kind = 'prepare', new.output_tail, null)
   where run = new.id and ended_at_ms is null;
end;

-- What the branch of a card held at the end of an attempt, against where it began.
create table change (
  run          integer primary key references run (id),
  repo         text not null check (repo <> ''),
  branch       text not null check (branch <> ''),
  base_ref     text,
  base_commit  text not null check (base_commit <> ''),
  head_commit  text not null check (head_commit <> ''),
  commits      integer not null check (commits >= 0),
  file_count   integer not null check (file_count >= 0),
  insertions   integer not null check (insertions >= 0),
  deletions    integer not null check (deletions >= 0),
  files        text not null check (json_valid(files)),
  left_overs   integer not null check (left_overs in (0, 1)),
  outside      text not null check (json_valid(outside)),
  patch_sha256 text check (length(patch_sha256) = 64),
  patch_bytes  integer check (patch_bytes >= 0),
  notes        text not null check (json_valid(notes)),
  check ((patch_sha256 is null) = (patch_bytes is null))
) strict;
create index change_patch on change (patch_sha256) where patch_sha256 is not null;

-- Files of a card; their bytes lie in the attachment store under their checksum.
create table attachment (
  id         integer primary key autoincrement,
  task       integer not null references task (id),
  -- Null: given by a person.
  run        integer references run (id),
  name       text not null check (name not in ('', '.', '..') and instr(name, '/') = 0),
  media_type text not null,
  bytes      integer not null check (bytes >= 0),
  sha256     text not null check (length(sha256) = 64),
  by         text not null,
  at_ms      integer not null
) strict;
create unique index attachment_name on attachment (task, ifnull(run, 0), name);
create index attachment_file on attachment (sha256);

-- Whose attempts give the verdict of a card that is under review; null: a person does. It stays while one of them runs, and
-- while the card is blocked from there.
alter table task add column review_lane text check (review_lane is null or status in ('review', 'running', 'blocked'));
-- It was blocked while it was under review, and goes back there.
alter table task add column from_review integer not null default 0
  check (from_review in (0, 1) and (from_review = 0 or status = 'blocked')
         and (from_review = 1 or review_lane is null or status <> 'blocked'));
-- Attempts of the reviewer in a row that gave no verdict; those of the author are `failures`.
alter table task add column review_failures integer not null default 0 check (review_failures >= 0);
-- How often a reviewer lane asked for changes since the last reset.
alter table task add column rejections integer not null default 0 check (rejections >= 0);

-- A dispatcher may take it up, once it is its time: it is ready, or a lane is to review it. Such a card waits in exactly one
-- queue, that of its own lane or of the reviewer's.
alter table task add column claimable integer
  generated always as (status = 'ready' or (status = 'review' and review_lane is not null)) virtual;

drop index task_startable;
create index task_startable on task (queue_group, folder, rank, id) where claimable = 1 and not_before_ms is null;
drop index task_probe;
create index task_probe on task (queue_group, tempfails, rank, id) where claimable = 1 and not_before_ms is null;
drop index task_due;
create index task_due on task (not_before_ms) where claimable = 1 and not_before_ms is not null;
-- Reviews are let through while a batch sends its first ones ahead.
create index task_to_review on task (queue_group, rank, id)
  where status = 'review' and review_lane is not null and not_before_ms is null;

drop trigger task_queued;
drop trigger task_moved_in_queue;

create trigger task_queued after insert on task when new.claimable = 1 begin
  update queue_group
     set ready = ready + (new.not_before_ms is null), later = later + (new.not_before_ms is not null)
   where id = new.queue_group;
  update queue
     set ready = ready + 1, (head_rank, head_task) = (
           select rank, id from task
            where queue_group = new.queue_group and folder = new.folder
              and claimable = 1 and not_before_ms is null
            order by rank, id limit 1)
   where queue_group = new.queue_group and folder = new.folder and new.not_before_ms is null;
end;

-- One trigger for leaving and entering, because the order of two would not be defined.
create trigger task_moved_in_queue after update of status, review_lane, not_before_ms, priority, queue_group, folder on task
when old.claimable = 1 or new.claimable = 1 begin
  update queue_group
     set ready = ready - (old.not_before_ms is null), later = later - (old.not_before_ms is not null)
   where id = old.queue_group and old.claimable = 1;
  update queue_group
     set ready = ready + (new.not_before_ms is null), later = later + (new.not_before_ms is not null)
   where id = new.queue_group and new.claimable = 1;
  update queue
     set ready = ready - (old.claimable = 1 and old.not_before_ms is null)
                       + (new.claimable = 1 and new.not_before_ms is null
                          and new.queue_group = old.queue_group and new.folder = old.folder),
         (head_rank, head_task) = (
           select rank, id from task
            where queue_group = old.queue_group and folder = old.folder
              and claimable = 1 and not_before_ms is null
            order by rank, id limit 1)
   where queue_group = old.queue_group and folder = old.folder;
  update queue
     set ready = ready + 1, (head_rank, head_task) = (
           select rank, id from task
            where queue_group = new.queue_group and folder = new.folder
              and claimable = 1 and not_before_ms is null
            order by rank, id limit 1)
   where queue_group = new.queue_group and folder = new.folder
     and (new.queue_group <> old.queue_group or new.folder <> old.folder)
     and new.claimable = 1 and new.not_before_ms is null;
end;
