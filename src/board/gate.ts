import type { RunId } from '../kernel/index.ts'

/** Whether an account may be used now. Closed means that one of `untilMs`, `probeRun` and `parkedBy` is set (design section 8). */
export interface Gate {
  readonly account: string
  /** Grows with each closing and opening; a run started before the last opening may not close it. */
  readonly epoch: number
  readonly untilMs: number | null
  readonly probeRun: RunId | null
  readonly parkedBy: string | null
  readonly reason: string | null
  readonly closedByRun: RunId | null
  readonly sinceMs: number | null
  /** How often it was doubled: 0 at the first closing. */
  readonly doublings: number
  readonly openedAtMs: number | null
}
