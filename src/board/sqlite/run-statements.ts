import type { BatchId, RunId, TaskId } from '../../kernel/index.ts'
import type { Outcome } from '../outcome.ts'
import type { Run, StopKind } from '../run.ts'
import type { StageKind } from '../stage.ts'
import type { Database } from './database.ts'
import { type EndColumns, parseRunRow, parseRunSummaryRow, type RunRow, type RunSummaryRow } from './run-row.ts'
import climbRunSql from './statements/climb-run.sql'
import endsOfSql from './statements/ends-of.sql'
import exitRunSql from './statements/exit-run.sql'
import insertRunSql from './statements/insert-run.sql'
import lastRunOfSql from './statements/last-run-of.sql'
import lastRunsSql from './statements/last-runs.sql'
import openRunsSql from './statements/open-runs.sql'
import placeOfRunSql from './statements/place-of-run.sql'
import reachRunSql from './statements/reach-run.sql'
import readRunSql from './statements/read-run.sql'
import releaseRunSql from './statements/release-run.sql'
import renewTokenSql from './statements/renew-token.sql'
import runsOfSql from './statements/runs-of.sql'
import runsOfTasksSql from './statements/runs-of-tasks.sql'
import settleRunSql from './statements/settle-run.sql'
import startRunSql from './statements/start-run.sql'
import stopRunSql from './statements/stop-run.sql'
import takenSlotsSql from './statements/taken-slots.sql'
import usageOfSlotsSql from './statements/usage-of-slots.sql'

/** What an open attempt occupies; its slot is free again once it has ended. */
export interface SlotRow {
  readonly task: TaskId
  readonly batch: BatchId | null
  readonly lane: string
  readonly account: string | null
  readonly folder: string
  readonly slot: number
  readonly ended: 0 | 1
  /** 1 when it ended otherwise than done. */
  readonly endedBadly: 0 | 1
  /** 1 when another machine than this home's has started it. */
  readonly elsewhere: 0 | 1
}

type OfRun = { run: RunId; fence: number; nowMs: number }

/** One typed function for each statement about attempts. */
export function runStatements(db: Database) {
  const readRun = db.one<{ run: RunId }, RunRow>(readRunSql)
  const runsOf = db.many<{ task: TaskId }, RunRow>(runsOfSql)
  const lastRunOf = db.one<{ task: TaskId }, RunRow>(lastRunOfSql)
  const lastRuns = db.many<{ tasks: string }, RunSummaryRow>(lastRunsSql)
  const runsOfTasks = db.many<{ tasks: string }, RunRow>(runsOfTasksSql)
  const openRuns = db.many<Record<string, never>, RunRow>(openRunsSql)
  const endsOf = db.many<
    { task: TaskId; after: number; limit: number },
    {
      id: RunId
      outcome: Outcome
      exited_at_ms: number
      exit_code: number | null
      counts_to_cap: 0 | 1
      claimed_from: Run['claimedFrom']
    }
  >(endsOfSql)

  return {
    insertRun: db.insert<{
      task: TaskId
      batch: BatchId | null
      attempt: number
      fence: number
      lane: string
      account: string | null
      folder: string
      slot: number
      probe: 0 | 1
      nonce: string
      settings: string
      tokenHash: string | null
      machine: string | null
      hub: string | null
      claimedFrom: Run['claimedFrom']
      nowMs: number
    }>(insertRunSql),
    readRun: (run: RunId): Run | undefined => {
      const row = readRun({ run })
      return row === undefined ? undefined : parseRunRow(row)
    },
    placeOfRun: db.one<{ run: RunId }, { task: TaskId; board: string; batch: BatchId | null }>(placeOfRunSql),
    runsOf: (task: TaskId) => runsOf({ task }).map(parseRunRow),
    lastRuns: (tasks: readonly TaskId[]) => lastRuns({ tasks: JSON.stringify(tasks) }).map(parseRunSummaryRow),
    runsOfTasks: (tasks: readonly TaskId[]) => runsOfTasks({ tasks: JSON.stringify(tasks) }).map(parseRunRow),
    openRuns: () => openRuns({}).map(parseRunRow),
    /** In ascending order. */
    takenSlots: db.many<Record<string, never>, { readonly slot: number }>(takenSlotsSql),
    usageOfSlots: db.many<Record<string, never>, SlotRow>(usageOfSlotsSql),
    /** 1 when the process may go. */
    startRun: db.change<OfRun & { stage: StageKind; pid: number; fingerprint: string; startedMonotonic: string }>(
      startRunSql,
    ),
    /** 1 when it is the first reason of a run that still runs. */
    stopRun: db.change<{ run: RunId; kind: StopKind; by: string; text: string; nowMs: number }>(stopRunSql),
    climbRun: db.change<{ run: RunId; fence: number; rung: 'TERM' | 'KILL' }>(climbRunSql),
    reachRun: db.change<{ run: RunId; fence: number }>(reachRunSql),
    /** 1 when it was still open. */
    exitRun: db.change<OfRun & EndColumns & { stopDelivered: 0 | 1; spent: string | null }>(exitRunSql),
    /** 1 when its work had not begun. */
    renewToken: db.change<{ run: RunId; tokenHash: string }>(renewTokenSql),
    /** 1 when it was not settled yet. */
    releaseRun: db.change<{ run: RunId; by: string }>(releaseRunSql),
    /** 1 when it had exited and was not settled. */
    settleRun: db.change<OfRun & { countsToCap: 0 | 1 }>(settleRunSql),
    lastRunOf: (task: TaskId): Run | undefined => {
      const row = lastRunOf({ task })
      return row === undefined ? undefined : parseRunRow(row)
    },
    endsOf: (of: { task: TaskId; after: number; limit: number }) =>
      endsOf(of).map((row) => ({
        run: row.id,
        outcome: row.outcome,
        atMs: row.exited_at_ms,
        exitCode: row.exit_code,
        countsToCap: row.counts_to_cap === 1,
        from: row.claimed_from,
      })),
  }
}
