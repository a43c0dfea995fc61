import type { BatchId, Random, RunId, TaskId } from '../kernel/index.ts'
import type { EventKind } from './events.ts'
import type { Store } from './sqlite/store.ts'

/** The dispatcher's own acts are recorded in this name. */
export const dispatcher = { by: 'dispatcher' } as const

export interface NewEvent {
  readonly kind: EventKind
  readonly text: string
  readonly board?: string | null
  readonly batch?: BatchId | null
  readonly task?: TaskId
  readonly run?: RunId
  /** Who, where it is not whoever makes this change. */
  readonly by?: string
  readonly data?: Readonly<Record<string, unknown>>
}

/** What one transaction works with. It all happens at one moment and in one name. */
export interface Work {
  readonly store: Store
  readonly random: Random
  readonly nowMs: number
  readonly by: string
  /** Appends the event in this transaction; whoever listens hears of it after the COMMIT, or never. */
  tell(event: NewEvent): void
}
