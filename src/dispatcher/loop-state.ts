import type { Run, StopReason } from '../board/index.ts'
import type { BatchId, RunId, TaskId } from '../kernel/index.ts'
import type { AccountMemory } from './account-memory.ts'
import type { YardDeps } from './deps.ts'
import type { DecidedEnd } from './end-runs.ts'
import type { OpenRun } from './open-runs.ts'
import type { ReadyClaim } from './ready-claim.ts'
import type { Steps } from './stages/steps.ts'
import type { DepsOfStep } from './stages/workspace-deps.ts'
import type { ExitFacts, OverdueKind, Supervisor } from './supervisor/index.ts'
import type { LaunchFault } from './unstarted.ts'

/** What was heard since the last wake, and the attempts that are carried. The next hub makes it anew from the board. */
export interface LoopState {
  readonly open: Map<RunId, OpenRun>
  /** Adopted ones whose secrets are not known again yet: what they left is not read before. */
  readonly unmasked: Map<RunId, Run>
  readonly exits: ExitFacts[]
  /** Ends on record of which the gate of their account was not told yet, oldest first. */
  readonly untold: DecidedEnd[]
  readonly swept: Set<RunId>
  /** Found gone at the start: their containers are being looked for, and their tasks wait for that. */
  readonly clearing: Set<RunId>
  /** By run, until the reason is committed. */
  readonly overdue: Map<RunId, Overdue>
  /** Claims whose setup runs: what their work needs besides. */
  readonly prepared: Map<RunId, ReadyClaim>
  /** On the monotonic clock: nothing is claimed before, since the machine had nothing left to start it with. */
  restUntilMs: number
  /** Claimed, and never to be started: until that is on record. */
  readonly unstarted: Map<OpenRun, LaunchFault | 'given back'>
  /** Tasks that a person wants stopped or cancelled while they run. */
  readonly wished: Map<TaskId, Pick<StopReason, 'by' | 'text'>>
  /** Batches in which something ended or changed since their verdict was last asked for. */
  readonly touched: Set<BatchId>
}

export interface Overdue {
  readonly kind: OverdueKind
  readonly text: string
}

/** What the steps of a wake work with. */
export interface Loop extends YardDeps {
  readonly supervisor: Supervisor
  readonly accounts: AccountMemory
  readonly state: LoopState
  /** See `builtInLingerMs`. */
  readonly lingerMs: number
  /** What is done beside the loop. */
  readonly steps: Steps
  readonly workspaceDeps: DepsOfStep
  /** Whether new work may start. */
  readonly mayStart: () => boolean
  /** Outside of a wake: there is something to look at. */
  readonly wake: () => void
}

export function createLoopState(): LoopState {
  return {
    open: new Map(),
    unmasked: new Map(),
    exits: [],
    untold: [],
    swept: new Set(),
    clearing: new Set(),
    prepared: new Map(),
    overdue: new Map(),
    restUntilMs: 0,
    unstarted: new Map(),
    wished: new Map(),
    touched: new Set(),
  }
}
