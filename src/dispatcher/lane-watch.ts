import { checkLanes, type LaneCheck, liftMendedLanes, tryLanes } from './lane-checks.ts'
import type { Loop } from './loop-state.ts'

/** A start answers what the lanes lack, where that can be told soon; what is ready starts meanwhile. */
const lanesWithinMs = 1_000
/** How often a lane that we hold is looked at again: its program or secret may have come. */
const mendEveryMs = 30_000

export interface LaneWatchOptions {
  /** Ends it. */
  readonly signal: AbortSignal
  fault(step: string, fault: unknown): void
}

/**
 * Looks at what the lanes need: at the start, and again at those that were held for it. Beside the work, not before it: a
 * key that is slow to come keeps only the tasks of its lane waiting.
 */
export class LaneWatch {
  readonly #loop: Loop
  readonly #options: LaneWatchOptions
  #checks: readonly LaneCheck[] = []

  constructor(loop: Loop, options: LaneWatchOptions) {
    this.#loop = loop
    this.#options = options
  }

  /** As they were found at the start, a moment later also tried; empty until then. */
  checks(): readonly LaneCheck[] {
    return this.#checks
  }

  /** Resolves when all were looked at, or after a second. */
  async start(): Promise<void> {
    const { clock } = this.#loop
    const { signal, fault } = this.#options
    clock.every(mendEveryMs, signal, () => void this.#liftMended())
    const soon = new AbortController()
    const looked = this.#look().catch((why) => fault('lanes', why))
    const waited = clock.sleep(lanesWithinMs, AbortSignal.any([soon.signal, signal])).catch(() => {}) // stopped meanwhile
    await Promise.race([looked, waited])
    soon.abort()
  }

  async #look(): Promise<void> {
    const { signal, fault } = this.#options
    void this.#liftMended()
    await checkLanes(this.#loop, (checks) => {
      this.#checks = checks
    })
    if (!signal.aborted) void this.#selfTest().catch((why) => fault('self-test', why))
  }

  async #liftMended(): Promise<void> {
    const { signal, fault } = this.#options
    if (signal.aborted) return
    await liftMendedLanes(this.#loop, signal).catch((why) => fault('lanes', why))
  }

  /** A lane that cannot start anything is told by health, and by its first task. */
  async #selfTest(): Promise<void> {
    this.#checks = await tryLanes(this.#loop, this.#checks, this.#options.signal)
    for (const { name, ready, says } of this.#checks)
      if (!ready) this.#loop.log.warn('lane.not_ready', { lane: name, says })
  }
}
