import type { Client } from './api/client/client.ts'
import type { YardConfig } from './kernel/config/yard-config.ts'

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
  /** Program and first arguments that start this program again: how chat workers are started. */
  readonly self: readonly string[]
  readonly version: string
}

export interface Hub {
  readonly client: Client
  readonly port: number
  /** Stops dispatching and serving. leave: workers live on for the next hub. end: they are ended by the ladder, outcome interrupted. */
  stop(how: { readonly workers: 'leave' | 'end' }): Promise<void>
  /** A second Ctrl-C: every ladder goes to KILL. */
  hurry(): void
  /** Resolves when a `down` asked for over the API has been carried out. */
  readonly downAsked: Promise<void>
}

/** Throws `MAIN_HOME_TAKEN` with the holder when another process works this home. */
export declare function startHub(options: HubOptions): Promise<Hub>

/** The hub of a home, if one answers; undefined when none runs. */
export declare function findHub(
  home: string,
): Promise<{ readonly client: Client; readonly pid: number; readonly port: number } | undefined>

/** The store without a dispatcher, under the same lock: for reading and editing while no hub is up. What may touch a process is refused. */
export declare function openStore(
  options: Omit<HubOptions, 'purpose' | 'paused'>,
): Promise<{ readonly client: Client; close(): Promise<void> }>
