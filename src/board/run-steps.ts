import type { RunId } from '../kernel/index.ts'
import type { HubIdentity } from './hub-start.ts'
import type { Outcome } from './outcome.ts'
import type { Run, Spent, Usage } from './run.ts'
import type { StageKind } from './stage.ts'
import type { Task, TaskSettings, TaskSpec } from './task.ts'

// What goes in and out at the steps of a run: claimed, started, exited, settled. Board acts take and give these.

/** A task handed to this dispatcher: its run row is committed, nothing is spawned yet. */
export interface Claim {
  readonly task: Task
  readonly run: Run
  readonly spec: TaskSpec
  readonly defaults: TaskSettings | null
  /** With it the run speaks for itself. Told here and never again: only a hash of it is kept. */
  readonly token: string
}

/** Up to `max` cards for the hub `by`, which stands in each run; null or absent where no hub claims. */
export interface ClaimInput {
  readonly max: number
  readonly prepare: Prepare
  readonly by?: HubIdentity | null
}

/** For which lane a card is claimed: its own, or that of its reviewer. */
export interface ClaimedAs {
  readonly lane: string
  readonly from: Run['claimedFrom']
}

/** What the dispatcher resolved for a claim before the row is written; undefined refuses the claim with a reason. */
export type Prepare = (task: Task, spec: TaskSpec, defaults: TaskSettings | null, as: ClaimedAs) => PreparedClaim
export type PreparedClaim =
  | { readonly ok: true; readonly settings: string }
  /** Found before the claim (command not found, folder missing): the task moves as `next` says, with a run row of outcome `outcome`. */
  | { readonly ok: false; readonly outcome: Outcome; readonly reason: string; readonly move: Move }

/**
 * Where a task goes when its run settles. `back`: where it was claimed from, which is ready (or todo while a need is open) for
 * the author's attempt and review for the reviewer's.
 */
export type Move =
  | { readonly to: 'done' }
  | { readonly to: 'failed'; readonly code: string; readonly text: string }
  | { readonly to: 'cancelled'; readonly text: string }
  | { readonly to: 'blocked'; readonly code: string; readonly text: string }
  /** `lane`: whose attempts give the verdict; absent or null: a person does. `counts`: 1 for a reviewer's end without one. */
  | {
      readonly to: 'review'
      readonly text: string
      readonly lane?: string | null
      readonly notBeforeMs?: number | null
      readonly counts?: 0 | 1
    }
  /** The verdict of a reviewer's attempt: the task is done. Of an author's attempt it is refused. */
  | { readonly to: 'approved'; readonly text: string }
  /** The other one: the author's lane gets the text with its next attempt; past `mostRejections` a person is asked. */
  | { readonly to: 'rejected'; readonly text: string }
  | { readonly to: 'back'; readonly notBeforeMs: number | null; readonly code: string; readonly text: string }

export interface Started {
  readonly run: RunId
  readonly fence: number
  readonly pid: number
  readonly fingerprint: string
  readonly startedMonotonic: string
  /** Which process of the run it is; absent: its work. */
  readonly stage?: StageKind
  /** What is run, in one line for people; of prepare and check. */
  readonly command?: string
}

/** The process of a stage has ended and its tree is gone. The run goes on: its slot stays taken, it may start its next stage. */
export interface StageOver {
  readonly run: RunId
  readonly fence: number
  readonly stage: StageKind
  readonly exitCode: number | null
  readonly signal: string | null
  /** A sentence: how it ended. */
  readonly reason: string
  readonly outputTail: string | null
  /** JSON text of what the work came to, kept with the run until its outcome is final; null leaves what is kept. */
  readonly judged: string | null
}

export interface Exited {
  readonly run: RunId
  readonly fence: number
  readonly outcome: Outcome
  readonly exitCode: number | null
  readonly signal: string | null
  readonly reason: string
  readonly outputTail: string | null
  readonly result: string | null
  readonly data: string | null
  readonly usage: Usage | null
  /** Absent: nothing is known of it. */
  readonly spent?: Spent | null
  readonly stopDelivered: boolean
  /** Of the whole tree, as sampled; absent: unknown. */
  readonly peakRssBytes?: number | null
  readonly cpuSeconds?: number | null
  /** How its last process ended, where that was a setup or a check; absent: the outcome says it. */
  readonly stage?: Pick<StageOver, 'exitCode' | 'signal' | 'reason' | 'outputTail'>
}

export interface Settled {
  readonly run: RunId
  readonly fence: number
  readonly move: Move
  /** Added to the task's failures: 0 or 1. Of a reviewer's attempt to its own count, where the move says nothing of that. */
  readonly failures: 0 | 1
  /**
   * Whether this end counts to the cap of its outcome; absent means yes. No for what our own shutdown cut, for a run that
   * never got go, and for a 75 while its account served nobody. Stored with the run and given back by `tally`.
   */
  readonly countsToCap?: boolean
}

/** Ends of a task since a person or a done last reset it: what caps and streaks are counted from. */
export interface EndTally {
  readonly failures: number
  /** Attempts of its reviewer in a row that gave no verdict; absent: 0. */
  readonly reviewFailures?: number
  /** Newest first: outcome and wall-clock time of each ended run since the reset (at most 200). */
  readonly ends: readonly {
    readonly run: RunId
    readonly outcome: Outcome
    readonly atMs: number
    readonly exitCode: number | null
    /** As `recordSettled` was told; true for a run that is not settled yet. */
    readonly countsToCap: boolean
    /** review: it was a reviewer's, and counts for nothing of the author's; absent: the author's. */
    readonly from?: Run['claimedFrom']
  }[]
}

/** Changes that reviewer lanes may ask for, one after the other, before a person is asked. */
export const mostRejections = 5
