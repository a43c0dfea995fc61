import { judgeLimits, type LimitDeps } from './limit-watch.ts'
import { type SamplerDeps, sampleTrees } from './sampler.ts'
import type { WatchedRun } from './watched-run.ts'

export interface SampleBeatDeps extends SamplerDeps {
  readonly everyMs: number
  readonly limits: LimitDeps
  readonly logs: { look(): void }
  running(): readonly WatchedRun[]
}

/** A beat this much later than three of them says that our own loop stood still. */
const pauseMs = 1_000

/** Samples all running runs at each beat and judges them by it, but never by a beat that came late. */
export class SampleBeat {
  readonly #deps: SampleBeatDeps
  readonly #stopped = new AbortController()
  #lastMs: number
  #sampling: Promise<void> | undefined

  constructor(deps: SampleBeatDeps) {
    this.#deps = deps
    this.#lastMs = deps.clock.monotonicMs()
    deps.clock.every(deps.everyMs, this.#stopped.signal, () => {
      this.#sampling ??= this.#beat().finally(() => {
        this.#sampling = undefined
      })
    })
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#sampling
  }

  async #beat(): Promise<void> {
    const { clock, everyMs, limits, logs, running } = this.#deps
    const nowMs = clock.monotonicMs()
    const sinceLastMs = nowMs - this.#lastMs
    this.#lastMs = nowMs
    const stoodStill = sinceLastMs > 3 * everyMs + pauseMs
    if (stoodStill) {
      // Time in which we could not look counts for nobody: the fresh look is this one, and the next beat judges.
      limits.lookFresh()
      for (const { usage } of running()) usage.quietSinceMs += sinceLastMs - everyMs
    }
    logs.look()
    const runs = running()
    if (runs.length === 0) return
    await sampleTrees(this.#deps, { runs, sinceLastMs })
    if (stoodStill || this.#stopped.signal.aborted) return
    for (const run of runs) if (run.phase === 'running') judgeLimits(limits, run)
  }
}
