import type { BatchId, RunId, TaskId } from '../../kernel/index.ts'
import type { BoardEvent, EventKind } from '../events.ts'
import type { Database } from './database.ts'
import { type EventRow, parseEventRow } from './event-row.ts'
import batchEventsAfterSql from './statements/batch-events-after.sql'
import commentsOfSql from './statements/comments-of.sql'
import eventsAfterSql from './statements/events-after.sql'
import insertCommentSql from './statements/insert-comment.sql'
import insertEventSql from './statements/insert-event.sql'
import lastHubTimeSql from './statements/last-hub-time.sql'
import lastSeqSql from './statements/last-seq.sql'
import taskEventsAfterSql from './statements/task-events-after.sql'
import yardEventsAfterSql from './statements/yard-events-after.sql'

type After = { seq: number; limit: number }

/** One typed function for each statement about remarks and events. */
export function historyStatements(db: Database) {
  const commentsOf = db.many<{ task: TaskId }, { at_ms: number; by: string; text: string }>(commentsOfSql)
  const eventsAfter = db.many<After, EventRow>(eventsAfterSql)
  const taskEventsAfter = db.many<After & { task: TaskId }, EventRow>(taskEventsAfterSql)
  const yardEventsAfter = db.many<After, EventRow>(yardEventsAfterSql)
  const batchEventsAfter = db.many<After & { batch: BatchId }, EventRow>(batchEventsAfterSql)

  return {
    insertComment: db.insert<{ task: TaskId; nowMs: number; by: string; text: string }>(insertCommentSql),
    commentsOf: (task: TaskId) => commentsOf({ task }).map((row) => ({ atMs: row.at_ms, by: row.by, text: row.text })),
    insertEvent: db.insert<{
      nowMs: number
      kind: EventKind
      board: string | null
      batch: BatchId | null
      task: TaskId | null
      run: RunId | null
      by: string
      text: string
      data: string
    }>(insertEventSql),
    eventsAfter: (of: After): readonly BoardEvent[] => eventsAfter(of).map(parseEventRow),
    yardEventsAfter: (of: After): readonly BoardEvent[] => yardEventsAfter(of).map(parseEventRow),
    taskEventsAfter: (of: After & { task: TaskId }): readonly BoardEvent[] => taskEventsAfter(of).map(parseEventRow),
    batchEventsAfter: (of: After & { batch: BatchId }): readonly BoardEvent[] =>
      batchEventsAfter(of).map(parseEventRow),
    lastHubTime: db.one<Record<string, never>, { at_ms: number | null }>(lastHubTimeSql),
    lastSeq: db.one<Record<string, never>, { seq: number }>(lastSeqSql),
  }
}
