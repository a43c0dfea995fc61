import type { RunId, TaskId } from '../kernel/index.ts'
import type { TaskStatus } from './status.ts'

/** A settled attempt whose directory is still kept, with what decides how long. */
export interface KeptRun {
  readonly run: RunId
  readonly settledAtMs: number
  readonly task: TaskId
  readonly taskStatus: TaskStatus
  readonly taskSettledAtMs: number | null
  /** The newest attempt of its task. */
  readonly isNewest: boolean
}

/** A place in the order of attempts by their end; absent: before all. */
export interface KeptPlace {
  readonly settledAtMs: number
  readonly run: number
}

/** What a step of pruning events has done. `after`: where the next step goes on; null: nothing older is left. */
export interface PrunedEvents {
  readonly removed: number
  readonly after: number | null
}

/** A file of a card, with what decides how long it is kept. */
export interface KeptFile {
  readonly id: number
  readonly taskStatus: TaskStatus
  /** Null: its card stands on the board. */
  readonly archivedAtMs: number | null
}
