import type { RunId } from '../kernel/index.ts'

/**
 * What we start for a run, one after the other, each only when the tree of the one before is gone: prepare makes its
 * workspace usable, work is the task itself, check says whether that counts (design section 6).
 */
export const stageKinds = ['prepare', 'work', 'check'] as const
export type StageKind = (typeof stageKinds)[number]

/** A stage beside the work, as it stands on record; the work stage is the run itself. */
export interface Stage {
  readonly run: RunId
  readonly kind: 'prepare' | 'check'
  /** What was run, in one line for people. */
  readonly command: string
  readonly startedAtMs: number
  readonly endedAtMs: number | null
  readonly exitCode: number | null
  readonly signal: string | null
  /** A sentence: how it ended. */
  readonly reason: string | null
  readonly outputTail: string | null
}
