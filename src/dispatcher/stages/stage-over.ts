import type { StageKind, StageOver, StopKind } from '../../board/index.ts'
import { crashPoint, type RunId } from '../../kernel/index.ts'
import { formatJudged, type JudgedWork } from '../decided-end.ts'
import type { Loop } from '../loop-state.ts'
import type { DueStep, OpenRun } from '../open-runs.ts'

/** A process that has ended and leaves its attempt going on. */
export interface OverStage {
  readonly kind: 'over'
  readonly open: OpenRun
  readonly stage: StageKind
  readonly exitCode: number | null
  readonly signal: string | null
  readonly reason: string
  readonly tail: string | null
  /** What the work came to; null before it began. */
  readonly judged: JudgedWork | null
  /** What follows when the tree is gone. */
  readonly due: DueStep
}

export function toStageOver({ open, stage, exitCode, signal, reason, tail, judged }: OverStage): StageOver {
  const { id: run, fence } = open
  const text = judged === null ? null : formatJudged(judged)
  return { run, fence, stage, exitCode, signal, reason, outputTail: tail, judged: text }
}

/** It is on record: the attempt waits for its tree, and goes on from there (`carryOn`). */
export function noteStageOver({ state }: Loop, over: OverStage, recorded: ReadonlySet<RunId>): void {
  const { open, stage, judged, due } = over
  if (!recorded.has(open.id)) {
    open.over.abort()
    state.open.delete(open.id) // decided before, by somebody else
    return
  }
  if (stage === 'work' && judged !== null) state.untold.push({ ...judged, open })
  open.isBetween = true
  open.judged = judged
  open.due = due
  if (open.stop !== null && isOfStage(open.stop.kind)) open.stop = null
  state.overdue.delete(open.id) // a limit of the process that has ended
  crashPoint('stage.over')
}

/** Said of the stage that is over, and of none after it; the board forgets them in the same commit. */
const isOfStage = (kind: StopKind): boolean => ['timeout', 'stall', 'memory', 'linger'].includes(kind)
