import { isSettled, type KeptFile, type KeptRun } from '../../board/index.ts'
import type { KeepConfig } from '../../kernel/config/index.ts'

/** What goes of an attempt: nothing yet, its directory, or that and the scratch folder of its task. */
export type Retention = 'keep' | 'directory' | 'directory and scratch'

/** Events older than this go, unless they are about an open task or batch: a quarter, which every report looks back in. */
export const eventsKeptMs = 90 * 86_400_000

/**
 * How long attempts are kept, from the end of their task on (files-and-cli section 4): of a done task as `done` says; of a
 * failed or cancelled one the newest as `failed` says, since it is what a person looks at, and the earlier ones as `done`
 * says. An open task may need its newest one for the next attempt, so that one always stays, and earlier ones stay as
 * `failed` says, from their own end on. The scratch folder goes with the newest attempt.
 */
export function planRetention(run: KeptRun, keep: KeepConfig, nowMs: number): Retention {
  const { taskStatus, taskSettledAtMs, isNewest } = run
  if (!isSettled(taskStatus) || taskSettledAtMs === null) {
    return !isNewest && isOver(run.settledAtMs, keep.failedMs, nowMs) ? 'directory' : 'keep'
  }
  const keptMs = taskStatus !== 'done' && isNewest ? keep.failedMs : keep.doneMs
  if (!isOver(taskSettledAtMs, keptMs, nowMs)) return 'keep'
  return isNewest ? 'directory and scratch' : 'directory'
}

/** Attempts that ended after this time are kept whatever their task is; null: all are, for ever. */
export function youngestToGo({ doneMs, failedMs }: KeepConfig, nowMs: number): number | null {
  const ages = [doneMs, failedMs].filter((age) => age !== 'forever')
  return ages.length === 0 ? null : nowMs - Math.min(...ages)
}

/**
 * Files of a card are what it is about and what came of it, so they stay as long as the card stands on the board; once it is
 * archived, as long from then on as the log of its newest attempt would.
 */
export function planFile({ taskStatus, archivedAtMs }: KeptFile, keep: KeepConfig, nowMs: number): 'keep' | 'forget' {
  if (archivedAtMs === null) return 'keep'
  return isOver(archivedAtMs, taskStatus === 'done' ? keep.doneMs : keep.failedMs, nowMs) ? 'forget' : 'keep'
}

const isOver = (sinceMs: number, keptMs: number | 'forever', nowMs: number): boolean =>
  keptMs !== 'forever' && sinceMs + keptMs <= nowMs
