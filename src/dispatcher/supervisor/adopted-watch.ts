import { type FSWatcher, watch } from 'node:fs'
import type { Clock } from '../../kernel/index.ts'
import { compareFingerprint, type HostIdentity } from '../../kernel/process/index.ts'
import { composeRunFiles } from '../../runs/index.ts'
import { lastTickBefore, type WatchedRun } from './watched-run.ts'

export interface AdoptedWatchDeps {
  readonly clock: Clock
  readonly host: HostIdentity
  onGone(run: WatchedRun): void
}

/** Only the safety net: the exit file tells most ends at once. Nothing is written when a shim is killed. */
const pollEveryMs = 500
const watchedPerTurn = 20
/** The shim leaves a moment after it wrote its record. */
const afterRecordMs = [1, 4, 16, 64] as const

/** Notices the end of shims that are not our children: their exit file changes, or a poll finds them gone. */
export class AdoptedWatch {
  readonly #deps: AdoptedWatchDeps
  readonly #runs = new Set<WatchedRun>()
  #polling: AbortController | undefined
  #unwatched: WatchedRun[] = []

  constructor(deps: AdoptedWatchDeps) {
    this.#deps = deps
  }

  /** Until it is gone, or its `watching` is ended. */
  add(run: WatchedRun): void {
    const { signal } = run.watching
    this.#runs.add(run)
    signal.addEventListener('abort', () => this.#remove(run), { once: true })
    if (this.#polling === undefined) {
      this.#polling = new AbortController()
      this.#deps.clock.every(pollEveryMs, this.#polling.signal, () => this.look())
    }
    this.#unwatched.push(run)
    if (this.#unwatched.length === 1) this.#watchSoon(this.#polling)
  }

  /** Looks at each of them now. */
  look(): void {
    for (const run of this.#runs) this.#lookAt(run)
  }

  /** A few in each turn of the loop: a start with hundreds of them takes up work before all are watched. */
  #watchSoon(polling: AbortController): void {
    this.#deps.clock.after(0, polling.signal, () => {
      for (const run of this.#unwatched.splice(0, watchedPerTurn)) {
        this.#watchRecord(run)
        this.#lookAt(run) // it may have ended before it was watched
      }
      if (this.#unwatched.length > 0) this.#watchSoon(polling)
    })
  }

  #watchRecord(run: WatchedRun): void {
    const { signal } = run.watching
    if (signal.aborted) return
    let watcher: FSWatcher
    try {
      watcher = watch(composeRunFiles(run.runDir).exit, { persistent: false, signal })
    } catch {
      return // no file, or no watches left on this machine: the poll notices it
    }
    watcher.on('error', () => {}) // as above
    watcher.once('change', () => {
      for (const ms of afterRecordMs) this.#deps.clock.after(ms, signal, () => this.#lookAt(run))
    })
  }

  #lookAt(run: WatchedRun): void {
    if (!this.#runs.has(run)) return
    const untilTicks = lastTickBefore()
    const compared = compareFingerprint(this.#deps.host, run.target.fingerprint)
    if (compared === 'same') run.sidOursUntilTicks = untilTicks
    if (compared !== 'gone') return
    this.#remove(run)
    this.#deps.onGone(run)
  }

  #remove(run: WatchedRun): void {
    this.#runs.delete(run)
    if (this.#runs.size > 0) return
    this.#unwatched = []
    this.#polling?.abort()
    this.#polling = undefined
  }
}
