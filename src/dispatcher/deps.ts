import type { Actor, Board, HubIdentity } from '../board/index.ts'
import type { YardConfig } from '../kernel/config/index.ts'
import type { Clock, Random } from '../kernel/index.ts'
import type { DispatcherLog } from './log.ts'
import type { RetryWaits } from './plan-next.ts'

/** What the parts of the dispatcher share. Fixed for its whole life. */
export interface YardDeps {
  readonly board: Board
  readonly clock: Clock
  readonly random: Random
  readonly log: DispatcherLog
  /** Which hub claims: stands in each run. Runs of another machine are neither looked for nor signalled. */
  readonly hub: HubIdentity
  readonly config: YardConfig
  /** The hub's own environment: allow-listed parts of it reach workers, secrets are taken from it by reference. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Keys of all accounts and secrets of all lanes that the hub has read so far: the same list until it has read more. */
  readonly learnedSecrets: () => readonly string[]
  /** Where this hub answers, such as `http://127.0.0.1:7420`: for workers that speak to it. */
  readonly address: () => string
  /** Absolute, real path of the home. */
  readonly home: string
  /** Absolute folder that this program runs from. */
  readonly program: string
  /** Program and first arguments that start this program again: how chat workers are started. */
  readonly self: readonly string[]
  readonly retryWaits: RetryWaits
  /** Grace between the two signals where nobody says another: 10 s, for `run` under CI 3 s. */
  readonly builtInGraceMs: number
}

/** Who the record names for what is done without a person. */
export const byDispatcher: Actor = { by: 'dispatcher' }
