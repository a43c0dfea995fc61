import { setMaxListeners } from 'node:events'
import type { Clock } from '../../kernel/index.ts'
import type { DispatcherLog } from '../log.ts'
import type { OpenRun } from '../open-runs.ts'

/** Until a step that failed for a reason of the machine or the store is taken again. */
const againMs = 5_000

export interface StepsDeps {
  readonly clock: Clock
  readonly log: DispatcherLog
  /** The loop has to look again: an attempt may go on. */
  readonly wake: () => void
}

/**
 * What takes longer than a turn of the loop and is done beside it for single attempts: git, copies of files. At most one step
 * at a time for an attempt (`isBusy`). A step that throws is told and taken again later, since what it was to do is still due.
 */
export class Steps {
  readonly #deps: StepsDeps
  readonly #over = new AbortController()
  readonly #running = new Set<Promise<void>>()

  constructor(deps: StepsDeps) {
    this.#deps = deps
    setMaxListeners(0, this.#over.signal) // each git that runs listens
  }

  /** Fires when the hub leaves: what is under way is left to the next one. */
  get signal(): AbortSignal {
    return this.#over.signal
  }

  begin(open: OpenRun, step: string, act: (signal: AbortSignal) => Promise<void>): void {
    if (open.isBusy || this.#over.signal.aborted) return
    open.isBusy = true
    const running = this.#take(open, step, act).finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  /** Ends what is under way and waits until it has ended. */
  async stop(): Promise<void> {
    this.#over.abort()
    await Promise.all(this.#running)
  }

  async #take(open: OpenRun, step: string, act: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { clock, log, wake } = this.#deps
    const free = () => {
      open.isBusy = false
      wake()
    }
    try {
      await act(this.#over.signal)
      open.isPutOff = false
      free()
    } catch (fault) {
      if (this.#over.signal.aborted) return
      log.error('run.step_failed', { run: open.id, step, fault: fault instanceof Error ? fault.stack : String(fault) })
      open.isPutOff = true
      wake()
      clock.after(againMs, this.#over.signal, free)
    }
  }
}
