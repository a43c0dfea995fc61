import Sqlite from 'better-sqlite3'

/** Ready, or to be reviewed by a lane. */
const mayStart = `(status = 'ready' or (status = 'review' and review_lane is not null))`

/** Each finds rows that must not exist in a store at rest. */
const halfStates: Readonly<Record<string, string>> = {
  'counts of boards equal their cards': `
    select board, status, tasks, (select count(*) from task where task.board = board_count.board and task.status = board_count.status) as n
      from board_count where tasks <> n
    union all
    select board, status, count(*), 0 from task
     group by board, status having (board, status) not in (select board, status from board_count)`,
  'counts of batches equal their cards': `
    select batch, status, tasks, (select count(*) from task where task.batch = batch_count.batch and task.status = batch_count.status) as n
      from batch_count where tasks <> n
    union all
    select batch, status, count(*), 0 from task where batch is not null
     group by batch, status having (batch, status) not in (select batch, status from batch_count)`,
  'counts of archived cards equal their cards': `
    select board, status, archived, (select count(*) from task where task.board = board_count.board and task.status = board_count.status and archived_at_ms is not null) as n
      from board_count where archived <> n
    union all
    select batch, status, archived, (select count(*) from task where task.batch = batch_count.batch and task.status = batch_count.status and archived_at_ms is not null) as n
      from batch_count where archived <> n`,
  'labels are found exactly while their card is listed': `
    select id from task
     where (select count(*) from task_label where task_label.task = task.id)
        <> iif(archived_at_ms is null, json_array_length(labels), 0)`,
  'groups know how many of theirs could start now and later': `
    select *, (select count(*) from task where queue_group = queue_group.id and ${mayStart} and not_before_ms is null) as n,
              (select count(*) from task where queue_group = queue_group.id and ${mayStart} and not_before_ms is not null) as m
      from queue_group where ready <> n or later <> m`,
  'queues know their length and their head': `
    select *, (select count(*) from task t where t.queue_group = q.queue_group and t.folder = q.folder and ${mayStart} and not_before_ms is null) as n,
              (select id from task t where t.queue_group = q.queue_group and t.folder = q.folder and ${mayStart} and not_before_ms is null order by rank, id limit 1) as head
      from queue q where ready <> n or head_task is not head
        or (head_task is not null and head_rank <> (select rank from task where id = head_task))`,
  'cards stand in the queue of their board, batch and lane, or of the lane that is to review them': `
    select task.id from task join queue_group on queue_group.id = task.queue_group
     where queue_group.board <> task.board or queue_group.batch is not task.batch
        or queue_group.lane <> iif(task.status = 'review', ifnull(task.review_lane, task.lane), task.lane)`,
  'open needs equal the links that are not met': `
    select id, open_needs, (
        select count(*) from need join task as parent on parent.id = need.on_task
         where need.task = task.id and parent.status <> 'done'
           and not (need.on_end = 'always' and parent.status in ('failed', 'cancelled'))) as n
      from task where open_needs <> n`,
  'a card has an open run exactly while it runs, and it is its own': `
    select task.id from task left join run on run.id = task.open_run
     where (task.status = 'running') <> (run.id is not null and run.settled_at_ms is null and run.task = task.id)`,
  'a reviewer runs exactly for a card that a lane is to review, and in that lane': `
    select task.id from task join run on run.id = task.open_run
     where (run.claimed_from = 'review') <> (task.review_lane is not null) or run.lane <> ifnull(task.review_lane, run.lane)`,
  'attempts without a verdict are counted only while a review goes on': `
    select id from task where review_failures > 0 and status not in ('review', 'running', 'blocked')`,
  'every open run belongs to a card that runs': `
    select run.id from run join task on task.id = run.task where run.settled_at_ms is null and task.open_run is not run.id`,
  'ready only without open needs, waiting only with one': `
    select id from task where (status = 'ready' and open_needs > 0) or (status = 'todo' and open_needs = 0)`,
  'settled exactly with its time': `
    select id from task where (status in ('done', 'failed', 'cancelled')) <> (settled_at_ms is not null)`,
  'labels are found under the priority of their card': `
    select * from task_label join task on task.id = task_label.task where task_label.rank <> task.rank`,
  'no edit waits for a card that does not run': `
    select pending_edit.task from pending_edit join task on task.id = pending_edit.task where task.open_run is null`,
  'a closed account says since when and why': `
    select account from gate where (until_ms is null and probe_run is null and parked_by is null) <> (since_ms is null)`,
  'a stage is open exactly while its run is in it': `
    select run.id from run
     where (phase = 'started' and stage <> 'work' and stage_over = 0)
        <> exists (select 1 from stage where stage.run = run.id and stage.kind = run.stage and ended_at_ms is null)`,
  'an attachment of an attempt belongs to the card of that attempt': `
    select attachment.id from attachment join run on run.id = attachment.run where run.task <> attachment.task`,
  'events have no gap': `select count(*) as n, max(seq) as last from event having n <> ifnull(last, 0)`,
}

/** Looks into a store file from outside: what is half in it, by the sentence that does not hold. Empty for a sound one. */
export function openHalfStateFinder(path: string): Disposable & { findHalfStates(): readonly string[] } {
  const db = new Sqlite(path, { readonly: true })
  const statements = Object.entries(halfStates).map(([sentence, sql]) => [sentence, db.prepare(sql)] as const)
  return {
    findHalfStates() {
      const broken = statements.flatMap(([sentence, statement]) => {
        const rows = statement.all()
        return rows.length === 0 ? [] : [`not true: ${sentence}: ${JSON.stringify(rows.slice(0, 3))}`]
      })
      const foreign = db.pragma('foreign_key_check') as unknown[]
      return foreign.length === 0 ? broken : [...broken, `foreign keys: ${JSON.stringify(foreign.slice(0, 3))}`]
    },
    [Symbol.dispose]: () => db.close(),
  }
}
