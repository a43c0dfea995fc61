import type { Outcome } from './outcome.ts'
import type { CallKind, Run, TerminalCall, Usage } from './run.ts'
import type { TaskStatus } from './status.ts'
import type { Need, Task, TaskSpec } from './task.ts'

/** An ended attempt as it travels: nothing that would let anybody speak or signal in its name. */
export interface CopiedRun
  extends Pick<
    Run,
    | 'attempt'
    | 'lane'
    | 'account'
    | 'exitCode'
    | 'signal'
    | 'outputTail'
    | 'result'
    | 'data'
    | 'spent'
    | 'claimedAtMs'
    | 'peakRssBytes'
    | 'cpuSeconds'
    | 'releasedBy'
  > {
  readonly outcome: Outcome
  readonly reason: string
  readonly usage: Usage | null
  /** What it said of its own end, without data. A wait is left out: the task that it names has another number elsewhere. */
  readonly call: CopiedCall | null
  readonly exitedAtMs: number
  readonly settledAtMs: number
}

/** A terminal call as it travels. */
export interface CopiedCall extends Pick<TerminalCall, 'code' | 'text' | 'atMs'> {
  readonly kind: Exclude<CallKind, 'wait'>
}

/** A card as it travels from one board to another, with all that is known of it. */
export interface CopiedTask
  extends Pick<
    Task,
    | 'key'
    | 'lane'
    | 'priority'
    | 'failures'
    | 'notBeforeMs'
    | 'holdCode'
    | 'holdText'
    | 'holdBy'
    | 'createdBy'
    | 'createdAtMs'
    | 'settledAtMs'
    | 'archivedAtMs'
    | 'archivedBy'
  > {
  /** Its number on the board that it comes from. */
  readonly from: number
  readonly status: TaskStatus
  /** A card of a batch has its batch's defaults in it. */
  readonly spec: TaskSpec
  /** By the numbers of the board that it comes from. */
  readonly needs: readonly (Need & { readonly outside: boolean; readonly met: boolean })[]
  readonly comments: readonly { readonly atMs: number; readonly by: string; readonly text: string }[]
  readonly runs: readonly CopiedRun[]
  /** What of it was not written into the copy: `env.API_KEY`. */
  readonly leftOut: readonly string[]
}

/** A board at one moment, card by card. `tasks` must be read to its end or given up (`return`), at leisure. */
export interface BoardCopy {
  readonly count: number
  readonly tasks: Generator<CopiedTask & { readonly batch: string | null; readonly rowKey: string | null }>
}

export interface ImportInput {
  readonly board: string
  /** new: the board must not be there yet. any: it may have cards already. */
  readonly into: 'new' | 'any'
  readonly tasks: readonly CopiedTask[]
}

/** What became of one card of an import. */
export interface ImportedTask {
  readonly from: number
  readonly task: Task
  /** Why it came as a draft, which it was not; null: it stands as it stood. */
  readonly note: string | null
}
