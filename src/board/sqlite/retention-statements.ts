import type { RunId, TaskId } from '../../kernel/index.ts'
import type { TaskStatus } from '../status.ts'
import type { Database } from './database.ts'
import beginSequenceSql from './statements/begin-sequence.sql'
import eventTimesSql from './statements/event-times.sql'
import lastNumberSql from './statements/last-number.sql'
import pruneEventsSql from './statements/prune-events.sql'
import pruneRunSql from './statements/prune-run.sql'
import raiseSequenceSql from './statements/raise-sequence.sql'
import runsToPruneSql from './statements/runs-to-prune.sql'

export interface PrunableRow {
  readonly run: RunId
  readonly settled_at_ms: number
  readonly task: TaskId
  readonly status: TaskStatus
  readonly task_settled_at_ms: number | null
  readonly is_newest: 0 | 1
}

/** One typed function for each statement about what is old enough to go, and about numbers that were given. */
export function retentionStatements(db: Database) {
  return {
    runsToPrune: db.many<{ before: number; settledAtMs: number; run: number; limit: number }, PrunableRow>(
      runsToPruneSql,
    ),
    pruneRun: db.change<{ run: RunId; nowMs: number }>(pruneRunSql),
    eventTimes: db.many<{ seq: number; limit: number }, { seq: number; at_ms: number }>(eventTimesSql),
    lastNumber: db.one<{ name: string }, { seq: number }>(lastNumberSql),
    raiseSequence: db.change<{ name: string; least: number }>(raiseSequenceSql),
    beginSequence: db.change<{ name: string; least: number }>(beginSequenceSql),
    pruneEvents: db.change<{ after: number; upto: number; before: number }>(pruneEventsSql),
  }
}
