import type { Client } from '../api/client/index.ts'
import type { YardConfig } from '../kernel/config/index.ts'
import type { RunId } from '../kernel/index.ts'

/** How a yard is opened. All paths absolute. */
export interface HubOptions {
  /** Home directory, made 0700 where it is missing: store, lock, token, runs, workspaces, log. */
  readonly home: string
  readonly config: YardConfig
  /** The hub's own environment: allow-listed parts of it reach workers, secrets are taken from it by reference. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** `up`: a service on a kept port. `run`: private to one batch, ends with it. */
  readonly purpose: 'up' | 'run'
  readonly paused: boolean
  /** service: a service manager starts it again by itself, so unclean stops in a row end in a pause. Default `person`. */
  readonly startedBy?: 'service' | 'person'
  /** Program and first arguments that start this program again: how chat workers are started. */
  readonly self: readonly string[]
  readonly version: string
  /** The hub that this one follows (`up --replace`): asked to leave once nothing keeps this one from starting. */
  readonly replaces?: FoundHub | undefined
  /** die: the kernel ends the workers together with this process (`run --orphans die`). Default `live`. */
  readonly orphans?: 'live' | 'die'
}

export interface Hub {
  readonly client: Client
  readonly port: number
  /** Stops dispatching and serving. leave: workers live on for the next hub. end: they are ended by the ladder, outcome interrupted. */
  stop(how: { readonly workers: 'leave' | 'end' }): Promise<void>
  /** A second Ctrl-C: every ladder goes to KILL. */
  hurry(): void
  /** A `stop` that ends the workers waits no longer for what has not ended: the next hub goes on with that. Answers which attempts. */
  leaveRest(): readonly RunId[]
  /**
   * Resolves when a `down` asked for over the API has been carried out, with what was asked for. Rejects when the hub has
   * left because its store was taken away (`BOARD_REPLACED`).
   */
  readonly downAsked: Promise<DownMode>
}

/** drain: what runs may end. now: it is ended. replace: it goes on under the next hub. */
export type DownMode = 'drain' | 'now' | 'replace'

/** A hub that answers. */
export interface FoundHub {
  readonly client: Client
  readonly pid: number
  readonly port: number
}

/** The store of a home, opened in this process. */
export interface OpenStore {
  readonly client: Client
  close(): Promise<void>
}
