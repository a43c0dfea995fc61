import type { Clock } from '../../kernel/index.ts'
import { checkpointAt, reserveOf } from './plan-budget.ts'

/**
 * The time of one run, on the monotonic clock: a step of the wall clock neither ends nor extends it. `up` fires when it is
 * time for the last words, `over` shortly before the limit itself, at which whoever watches the run would end it.
 */
export class RunTime {
  readonly up: AbortSignal
  readonly over: AbortSignal
  readonly #clock: Clock
  readonly #startedMs: number
  readonly #runMs: number | null
  readonly #closed = new AbortController()
  /** How far the run was when a timer last fired. It may fire a moment early, and what it has said holds. */
  #saidMs = 0

  constructor({ clock }: { readonly clock: Clock }, { startedMs, runMs, onCheckpoint }: RunTimeInput) {
    this.#clock = clock
    this.#startedMs = startedMs
    this.#runMs = runMs
    const up = new AbortController()
    const over = new AbortController()
    this.up = up.signal
    this.over = over.signal
    if (runMs === null) return
    const reserveMs = reserveOf(runMs)
    this.#at(runMs * checkpointAt, onCheckpoint)
    // The reason tells the call that is cut by it why.
    this.#at(runMs - reserveMs, () => up.abort('run'))
    this.#at(runMs - reserveMs / 4, () => over.abort('run'))
  }

  /** Null: it has no end. */
  view(): { readonly elapsedMs: number; readonly runMs: number; readonly reserveMs: number } | null {
    if (this.#runMs === null) return null
    const reserveMs = reserveOf(this.#runMs)
    const elapsedMs = this.#clock.monotonicMs() - this.#startedMs
    return { elapsedMs: Math.max(elapsedMs, this.#saidMs), runMs: this.#runMs, reserveMs }
  }

  /** How long a call may still take; null: as long as it likes. */
  leftMs(): number | null {
    const view = this.view()
    return view === null ? null : Math.max(0, view.runMs - view.elapsedMs)
  }

  /** Ends its timers. */
  close(): void {
    this.#closed.abort()
  }

  #at(ms: number, beat: () => void): void {
    const leftMs = this.#startedMs + ms - this.#clock.monotonicMs()
    this.#clock.after(leftMs, this.#closed.signal, () => {
      this.#saidMs = ms
      beat()
    })
  }
}

interface RunTimeInput {
  readonly startedMs: number
  readonly runMs: number | null
  /** Told when it is time to save what there is. */
  readonly onCheckpoint: () => void
}
