import { judgeLimits, type LimitDeps } from './limit-watch.ts'
import { type SamplerDeps, sampleTrees } from './sampler.ts'
import type { WatchedRun } from './watched-run.ts'

export interface SampleBeatDeps extends SamplerDeps {
  readonly everyMs: number
  readonly limits: LimitDeps
  readonly logs: { look(): void }
  /** Called at each beat, and before the first one. */
  onBeat(): void
  running(): readonly WatchedRun[]
}

/** A beat this much later than three of them says that our own loop stood still. */
const pauseMs = 1_000
/** Memory runs out faster than time: runs with a limit of it are looked at so much more often than others. */
const beatsWithMemoryLimit = 4
/** The soonest look after another, however fast a worker takes memory. */
const soonestMs = 50

/**
 * Samples all running runs at each beat and judges them by it, but never by a beat that came late. It beats only while
 * something runs: an idle hub is not woken.
 */
export class SampleBeat {
  readonly #deps: SampleBeatDeps
  readonly #stopped = new AbortController()
  #plan = new AbortController()
  #plannedMs = Number.POSITIVE_INFINITY
  #lastMs = 0
  #sampling: Promise<void> | undefined

  constructor(deps: SampleBeatDeps) {
    this.#deps = deps
  }

  /** Something runs that did not before. */
  wake(): void {
    const { clock, onBeat } = this.#deps
    if (this.#plannedMs === Number.POSITIVE_INFINITY && this.#sampling === undefined) {
      this.#lastMs = clock.monotonicMs()
      clock.after(0, this.#stopped.signal, onBeat) // in a turn of its own: whoever woke us is starting a worker
    }
    this.#planNext()
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    this.#plan.abort()
    await this.#sampling
  }

  #planNext(): void {
    const { clock, everyMs, running } = this.#deps
    const runs = running()
    if (this.#sampling !== undefined || this.#stopped.signal.aborted || runs.length === 0) return
    const dueMs = this.#lastMs + Math.min(...runs.map((run) => nextLookMs(run, everyMs)))
    if (dueMs >= this.#plannedMs) return
    this.#plan.abort()
    this.#plan = new AbortController()
    this.#plannedMs = dueMs
    clock.after(dueMs - clock.monotonicMs(), this.#plan.signal, () => {
      const intervalMs = this.#plannedMs - this.#lastMs
      this.#plannedMs = Number.POSITIVE_INFINITY
      this.#sampling = this.#beat(intervalMs).finally(() => {
        this.#sampling = undefined
        this.#planNext()
      })
    })
  }

  async #beat(intervalMs: number): Promise<void> {
    const { clock, limits, logs, onBeat, running } = this.#deps
    const nowMs = clock.monotonicMs()
    const sinceLastMs = nowMs - this.#lastMs
    this.#lastMs = nowMs
    const stoodStill = sinceLastMs > 3 * intervalMs + pauseMs
    if (stoodStill) {
      // Time in which we could not look counts for nobody: the fresh look is this one, and the next beat judges.
      limits.lookFresh()
      for (const { usage } of running()) usage.quietSinceMs += sinceLastMs - intervalMs
    }
    logs.look()
    onBeat()
    const runs = running()
    if (runs.length === 0) return
    await sampleTrees(this.#deps, { runs, sinceLastMs })
    if (stoodStill || this.#stopped.signal.aborted) return
    for (const run of runs) if (run.phase === 'running') judgeLimits(limits, run)
  }
}

/** With a limit of memory: soon after its start, and sooner the faster it gets near its limit. Pure. */
export function nextLookMs({ limits, usage }: Pick<WatchedRun, 'limits' | 'usage'>, everyMs: number): number {
  if (limits.memoryBytes === null) return everyMs
  const calmMs = Math.max(soonestMs, everyMs / beatsWithMemoryLimit)
  if (usage.looks === 0) return Math.min(everyMs, soonestMs)
  if (usage.rssBytesPerMs === 0) return Math.min(everyMs, calmMs)
  const untilFullMs = (limits.memoryBytes - usage.rssBytes) / usage.rssBytesPerMs
  return Math.min(everyMs, calmMs, Math.max(soonestMs, untilFullMs))
}
