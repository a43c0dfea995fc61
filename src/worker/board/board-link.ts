import type { ToolEnd } from '../tools/tool.ts'

/** Something that the board tells the worker while it works. */
export interface BoardNews {
  readonly by: string
  readonly at: string
  /** As it was written: data, never an instruction of the system. */
  readonly text: string
}

/**
 * A board worker's line to its hub, as its turn loop sees it. Undefined where there is none: a person's `chat -q`, or a
 * lane whose worker has no token.
 */
export interface BoardLink {
  /** Comments that came since the last time this was asked, oldest first. */
  takeNews(): readonly BoardNews[]
  /** Calls `listener` whenever there is something to take, from now until `signal` fires. */
  onNews(signal: AbortSignal, listener: () => void): void
  /**
   * Fires when the board says that the run must not go on: somebody asked it to end (`stop`), or it is no longer this
   * worker's (`over`). After `over` nothing is written any more, not even a report.
   */
  readonly ended: AbortSignal
  endedBy(): BoardEnd | undefined
  /** The loop has moved on: a heartbeat is sent only while it does (worker-facts c.9). */
  noteProgress(): void
  /** The run's last call, tried for as long as it makes sense while the hub cannot be reached. */
  finish(call: FinishCall): Promise<FinishAnswer>
}

export interface BoardEnd {
  readonly kind: 'stop' | 'over'
  readonly text: string
}

export type FinishCall =
  | {
      readonly call: 'complete'
      readonly result: string
      readonly data?: unknown
      readonly artifacts?: readonly string[]
      /** Tasks that this run has made; the hub checks them. */
      readonly created?: readonly number[]
    }
  | { readonly call: 'block'; readonly text: string; readonly code: string; readonly data?: unknown }
  | { readonly call: 'review'; readonly text: string; readonly data?: unknown }
  | { readonly call: 'wait'; readonly task: number; readonly text: string }

export type FinishAnswer =
  | { readonly kind: 'ended'; readonly end: ToolEnd }
  /** The board does not take it, and the run goes on: the model is told and may mend it. */
  | { readonly kind: 'refused'; readonly says: string }
  /** The run is not this worker's any more, or it is being ended: `endedBy` says which. */
  | { readonly kind: 'over'; readonly says: string }
