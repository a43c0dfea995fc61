import type { BatchId } from '../kernel/index.ts'
import type { TaskSettings } from './task.ts'

/** Limits of a batch as they were submitted; each is checked inside the claim. */
export interface BatchLimits {
  readonly slots?: number
  /** Wall-clock end: start nothing new, stop what runs. From `timeout` (at submission or resume) or `stop_at`. */
  readonly stopAtMs?: number
  /** `halt`: this many failed, or this share (0..1) of those ended, once 10 ended. */
  readonly halt?: { readonly count: number } | { readonly share: number }
  /** Canary: the first so many runs must all end done before the others start. */
  readonly first?: number
  readonly onWall: 'wait' | 'stop'
}

/** Why a batch starts nothing new any more although tasks are left. */
export type BatchCut = 'time' | 'halt' | 'canary' | 'wall' | 'cancelled'

/** How a batch ended: the reason behind the exit code of `run` and `wait`. 130 and 1 are the CLI's own. */
export interface BatchVerdict {
  readonly exitCode: 0 | 3 | 5 | 6 | 7 | 9
  readonly text: string
}

export interface Batch {
  readonly id: BatchId
  readonly board: string
  readonly name: string
  readonly key: string | null
  /** SHA-256 of the file, to tell an edited one. */
  readonly digest: string
  /** Absolute path of the file, or null from standard input. */
  readonly file: string | null
  readonly limits: BatchLimits
  readonly defaults: TaskSettings
  readonly cut: BatchCut | null
  readonly cutText: string | null
  readonly verdict: BatchVerdict | null
  readonly createdBy: string
  readonly createdAtMs: number
  readonly endedAtMs: number | null
}

/** Kept counts of a batch's tasks; they equal the rows at any time. */
export interface BatchCounts {
  readonly total: number
  readonly byStatus: Readonly<Record<string, number>>
  /** How many of these are archived; a status without one is absent. */
  readonly archived: Readonly<Record<string, number>>
}
