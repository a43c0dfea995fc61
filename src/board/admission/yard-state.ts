import type { BatchId, TaskId } from '../../kernel/index.ts'
import type { BatchCut, BatchLimits } from '../batch.ts'
import type { DiskLow } from '../disk-low.ts'
import type { Gate } from '../gate.ts'
import type { Hold } from '../hold.ts'

/** Everything that admission looks at besides the cards themselves. Small: it does not grow with the tasks that wait. */
export interface YardState {
  readonly nowMs: number
  readonly slots: number
  /** False before limits were ever handed in: then no lane is unknown. */
  readonly isConfigured: boolean
  readonly lanes: ReadonlyMap<string, { readonly account: string | null; readonly slots: number | null }>
  readonly accounts: ReadonlyMap<string, { readonly slots: number | null }>
  readonly gates: ReadonlyMap<string, Gate>
  readonly holds: readonly Hold[]
  /** Nothing new starts while it is set. */
  readonly disk: DiskLow | null
  /** Open runs. One that has ended holds its folder until its tree is gone, and no slot. */
  readonly occupied: readonly Occupied[]
  readonly batches: ReadonlyMap<BatchId, BatchState>
}

export interface Occupied {
  readonly task: TaskId
  readonly batch: BatchId | null
  readonly lane: string
  readonly account: string | null
  readonly folder: string
  readonly ended: boolean
  /** It has ended otherwise than done, and what that means for its task is not settled yet. */
  readonly endedBadly: boolean
}

export interface BatchState {
  readonly id: BatchId
  readonly name: string
  readonly file: string | null
  readonly limits: BatchLimits
  readonly cut: BatchCut | null
  readonly cutText: string | null
  readonly canary: 'none' | 'open' | 'passed'
  /** How many canaries were let through. */
  readonly canariesSent: number
  readonly failed: number
  readonly ended: number
}

/** A card that would like to start. */
export interface Candidate {
  readonly task: TaskId
  readonly rank: number
  readonly board: string
  readonly batch: BatchId | null
  readonly lane: string
  readonly account: string | null
  /** '' where it needs none for itself. */
  readonly folder: string
  readonly canary: boolean
  /** Chosen to find out whether its account serves again. */
  readonly probe: boolean
}
