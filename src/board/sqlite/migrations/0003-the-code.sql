-- 0003-the-code: stages of a run, what it changed in a repository, and files that belong to a card.

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
