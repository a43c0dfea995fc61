import Sqlite from 'better-sqlite3'
import { migrations } from '../../../src/board/sqlite/migrations/list.ts'

/**
 * Stores as released programs left them, one builder for each version of the schema that is not the newest. A release adds
 * its own before the next migration is written; what a builder inserts is what that program's users had.
 */
export const oldStores: Readonly<Record<number, { readonly released: string; build(path: string): void }>> = {
  1: { released: '0.1.0', build: buildFirst },
  2: { released: '0.1.0, with truth about processes', build: buildSecond },
}

/** `YARD`, as every store of ours carries it. */
const applicationId = 0x59415244

/** A board in the middle of a night: cards in every status, a batch, a closed account, open and settled attempts. */
function buildFirst(path: string): void {
  const db = openVersion(path, 1)
  fillFirst(db)
  db.close()
}

/** The same night on a program that keeps who worked where: one attempt spoke for itself, one card is out of sight. */
function buildSecond(path: string): void {
  const db = openVersion(path, 2)
  fillFirst(db)
  db.exec(`
    insert into hub (instance, machine, host, pid, version, started_by, started_at_ms, stopped_at_ms)
      values ('h1', 'm1', 'box', 400, '0.1.0', 'person', 1, 5), ('h2', 'm1', 'box', 401, '0.1.0', 'service', 6, null);
    update yard set machine = 'm1';
    update run set machine = 'm1', hub = iif(id = 4, 'h2', 'h1'), token_hash = '${'a'.repeat(64)}', peak_rss_bytes = 1000, cpu_seconds = 0.5;
    update run set call_kind = 'complete', call_text = 'it is there', call_at_ms = 4, heartbeat_at_ms = 4, late_calls = 1 where id = 2;
    update run set pruned_at_ms = 8 where id = 3;
    update task set archived_at_ms = 9, archived_by = 'ann' where id = 7;`)
  db.close()
}

function openVersion(path: string, version: number): Sqlite.Database {
  const db = new Sqlite(path)
  db.pragma('journal_mode = WAL')
  db.pragma('foreign_keys = ON')
  for (const { number, name, sql, sha256 } of migrations.filter((migration) => migration.number <= version)) {
    db.exec(sql)
    db.prepare('insert into migration (number, name, sha256, at_ms) values (?, ?, ?, 1)').run(number, name, sha256)
  }
  db.pragma(`application_id = ${applicationId}`)
  db.pragma(`user_version = ${version}`)
  return db
}

function fillFirst(db: Sqlite.Database): void {
  db.exec(`
    update yard set slots = 4, revision = 1;
    insert into lane (name, account, slots) values ('command', null, null), ('chat', 'openai', 2);
    insert into account (name, slots) values ('openai', 2);
    insert into board (name, created_at_ms) values ('shop', 1000), ('main', 1000);
    insert into batch (board, name, key, digest, file, limits, defaults, canary, created_by, created_at_ms)
      values ('shop', 'night', 'k1', 'd', '/n.yaml', '{"onWall":"wait"}', '{}', 'none', 'ann', 1000);
    insert into queue_group (board, batch, lane) values ('shop', null, 'command'), ('shop', 1, 'chat');
    insert into queue (queue_group, folder) values (1, ''), (1, '/shop'), (2, '');
    insert into task (board, batch, row_key, key, title, kind, lane, status, priority, rank, labels, queue_group, folder,
                      open_needs, hold_code, hold_text, hold_by, failures, runs, created_by, created_at_ms, changed_at_ms, settled_at_ms)
    values ('shop', null, null, 'alert', 'ready with a key', 'run', 'command', 'ready', 3, -3, '["db"]', 1, '', 0, null, null, null, 0, 0, 'ann', 1, 1, null),
           ('shop', null, null, null, 'waits for the first', 'run', 'command', 'todo', 0, 0, '[]', 1, '/shop', 1, null, null, null, 0, 0, 'ann', 1, 1, null),
           ('shop', null, null, null, 'a draft', 'prompt', 'command', 'triage', 0, 0, '[]', 1, '', 0, null, null, null, 0, 0, 'ann', 1, 1, null),
           ('shop', null, null, null, 'needs a person', 'run', 'command', 'blocked', 0, 0, '[]', 1, '', 0, 'by_person', 'why', 'ann', 1, 1, 'ann', 1, 1, null),
           ('shop', 1, 'a', null, 'done', 'prompt', 'chat', 'done', 0, 0, '[]', 2, '', 0, null, null, null, 0, 1, 'ann', 1, 9, 9),
           ('shop', 1, 'b', null, 'failed', 'prompt', 'chat', 'failed', 0, 0, '[]', 2, '', 0, null, null, null, 2, 1, 'ann', 1, 9, 9),
           ('shop', 1, 'c', null, 'cancelled', 'prompt', 'chat', 'cancelled', 0, 0, '[]', 2, '', 0, null, null, null, 0, 0, 'ann', 1, 9, 9),
           ('shop', 1, 'd', null, 'waits for its account', 'prompt', 'chat', 'ready', 0, 0, '[]', 2, '', 0, null, null, null, 0, 0, 'ann', 1, 1, null),
           ('shop', 1, 'e', null, 'is worked on', 'prompt', 'chat', 'ready', 0, 0, '[]', 2, '', 0, null, null, null, 0, 1, 'ann', 1, 1, null);
    insert into task_label (label, rank, task) values ('db', -3, 1);
    insert into need (task, on_task, on_end) values (2, 1, 'done');
    insert into task_spec (task, spec, digest)
      select id, json_object('title', title, 'dir', '/shop', iif(kind = 'run', 'run', 'prompt'), 'true', 'attempts', 2), 'd' from task;
    insert into run (task, batch, attempt, fence, phase, lane, account, folder, slot, probe, nonce, pid, fingerprint, settings,
                     outcome, exit_code, reason, output_tail, claimed_at_ms, started_at_ms, started_monotonic, exited_at_ms, settled_at_ms)
    values (4, null, 1, 7, 'settled', 'command', null, '', 0, 0, 'n1', 4001, 'boot|4001', '{}', 'failed', 3, 'exit 3', 'the cause', 2, 3, 'boot 1', 4, 5),
           (5, 1, 1, 8, 'settled', 'chat', 'openai', '', 0, 0, 'n2', 4002, 'boot|4002', '{}', 'done', 0, 'exit 0', 'well', 2, 3, 'boot 1', 4, 5),
           (6, 1, 1, 9, 'settled', 'chat', 'openai', '', 1, 0, 'n3', 4003, 'boot|4003', '{}', 'failed', 1, 'exit 1', null, 2, 3, 'boot 1', 4, 5),
           (9, 1, 1, 10, 'started', 'chat', 'openai', '', 0, 0, 'n4', 4004, 'boot|4004', '{}', null, null, null, null, 6, 7, 'boot 2', null, null);
    update task set status = 'running', open_run = 4 where id = 9;
    insert into gate (account, epoch, until_ms, reason, closed_by_run, since_ms, doublings) values ('openai', 2, 99, 'resets 2pm', 3, 4, 1);
    insert into hold (scope, name, kind, set_by, text, since_ms) values ('lane', 'chat', 'pause', 'ann', 'for tonight', 3);
    insert into comment (task, at_ms, by, text) values (4, 5, 'ann', 'look at this');
    insert into event (at_ms, kind, board, batch, task, run, by, text, data)
      select id, 'task.created', board, batch, id, null, 'ann', 'T' || id || ' ' || title, '{}' from task;
    insert into event (at_ms, kind, board, batch, task, run, by, text, data)
      values (4, 'run.exited', 'shop', 1, 5, 2, 'dispatcher', 'T5 ended', '{"outcome":"done"}');`)
}
