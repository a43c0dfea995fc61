import { type RunId, runId, type TaskId, taskId } from '../../kernel/index.ts'
import type { CallKind, RunPhase } from '../run.ts'
import type { Database } from './database.ts'
import actsOfRunSql from './statements/acts-of-run.sql'
import callRunSql from './statements/call-run.sql'
import countLateCallSql from './statements/count-late-call.sql'
import countRemarksSql from './statements/count-remarks.sql'
import heartbeatRunSql from './statements/heartbeat-run.sql'
import refusalsOfRunSql from './statements/refusals-of-run.sql'
import tokenOfRunSql from './statements/token-of-run.sql'

/** Among the events of its task. */
type ToldOfRun = { task: TaskId; run: RunId; limit: number }
type OfRun = { run: RunId; fence: number; nowMs: number }
interface TokenRow {
  id: number
  task: number
  fence: number
  phase: string
  token_hash: string | null
}

/** One typed function for each statement about what runs do in their own name. */
export function runCallStatements(db: Database) {
  const tokenOfRun = db.one<{ run: RunId }, TokenRow>(tokenOfRunSql)

  return {
    tokenOfRun: (run: RunId) => {
      const row = tokenOfRun({ run })
      if (row === undefined) return undefined
      const { id, task, fence, phase, token_hash: tokenHash } = row
      return { run: runId(id), task: taskId(task), fence, phase: phase as RunPhase, tokenHash }
    },
    /** 1 when it is not over. */
    heartbeatRun: db.change<OfRun>(heartbeatRunSql),
    /** 1 when it is not over and had said nothing. */
    callRun: db.change<
      OfRun & { kind: CallKind; code: string | null; text: string; data: string | null; onTask: TaskId | null }
    >(callRunSql),
    countLateCall: db.one<{ run: RunId }, { late_calls: number }>(countLateCallSql),
    actsOfRun: db.many<ToldOfRun & { act: string }, { seq: number }>(actsOfRunSql),
    refusalsOfRun: db.many<ToldOfRun, { seq: number }>(refusalsOfRunSql),
    countRemarks: db.one<{ task: TaskId; by: string }, { remarks: number }>(countRemarksSql),
  }
}
