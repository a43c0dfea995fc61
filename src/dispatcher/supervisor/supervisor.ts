import { closeSync } from 'node:fs'
import { assertNever, crashPoint, isShortage, type RunId } from '../../kernel/index.ts'
import { type ChildUse, removeCgroup, type WaitStatus } from '../../kernel/process/index.ts'
import { type FoundRun, findRun } from './adopt-run.ts'
import { climbLadder, resumeLadder } from './climb-ladder.ts'
import type {
  Adopted,
  ExitFacts,
  Launched,
  LaunchOrder,
  RunRecord,
  Supervisor,
  SupervisorOptions,
  TreeSample,
} from './contract.ts'
import { launchRun } from './launch-run.ts'
import { watchTimeout } from './limit-watch.ts'
import { endedApart, neverRan, readExitFacts, type SeenEnd } from './read-exit.ts'
import { buildParts, type SupervisorParts } from './supervisor-parts.ts'
import { cpuSeconds, tickNow, type WatchedRun } from './watched-run.ts'

/** Starts, watches and ends the process trees of runs. `start` throws `SUPERVISOR_CANNOT_DIE_WITH_US`. */
export function createSupervisor(options: SupervisorOptions): Supervisor {
  return new ProcessSupervisor(options)
}

/** Runs of which nothing could be told are looked at again this often. */
const heldEveryMs = 30_000

/** Until what could not be read for want of something of the machine's is read again. */
const shortageMs = 100

/** A reason of its own saves the making of an AbortError, with its stack, at each end of a run. */
const over = 'over'

class ProcessSupervisor implements Supervisor {
  readonly name = 'supervisor'
  readonly #options: SupervisorOptions
  readonly #runs = new Map<RunId, WatchedRun>()
  readonly #held = new Map<RunId, RunRecord>()
  /** What was asked of held ones: carried out when they can be told. */
  readonly #endsOfHeld = new Map<RunId, Parameters<Supervisor['end']>[1]>()
  readonly #stopped = new AbortController()
  #starting: Promise<void> | undefined
  #stopping: Promise<void> | undefined
  /** Between start and stop. */
  #built: SupervisorParts | undefined

  constructor(options: SupervisorOptions) {
    this.#options = options
  }

  start(): Promise<void> {
    this.#starting ??= this.#build()
    return this.#starting
  }

  launch(order: LaunchOrder): Launched {
    const { clock, orphans = 'live' } = this.#options
    const { launched, run } = launchRun({ ...this.#parts, clock, orphans }, order, (ended, ...end) =>
      this.#exit(ended, ...end),
    )
    if (run !== undefined) {
      this.#runs.set(run.run, run)
      this.#parts.logs.add(run)
    }
    return launched
  }

  go(id: RunId): void {
    const run = this.#runs.get(id)
    if (run?.phase !== 'gated') return
    run.phase = 'running'
    run.gate?.open()
    crashPoint('gate.opened')
    watchTimeout(this.#parts.limits, run)
    this.#parts.beat.wake()
  }

  discard(id: RunId): void {
    const run = this.#runs.get(id)
    if (run?.phase === 'gated') run.gate?.close()
  }

  adopt(record: RunRecord): Adopted {
    const { adopted, ladder, limits, logs, beat } = this.#parts
    const { clock } = this.#options
    const found = this.#find(record)
    switch (found.kind) {
      case 'never':
        return 'never'
      case 'cannot_tell':
        this.#held.set(record.run, record)
        return 'cannot_tell'
      case 'ended_apart':
        this.#held.set(record.run, { ...record, phase: 'exited' })
        clock.after(0, this.#stopped.signal, () => {
          crashPoint('exit.seen')
          this.#options.events.exited(endedApart(record, found.end))
        })
        return 'cannot_tell'
      case 'same':
        this.#runs.set(record.run, found.run)
        adopted.add(found.run)
        logs.add(found.run)
        watchTimeout(limits, found.run)
        beat.wake()
        if (record.stopping !== null) resumeLadder(ladder, found.run, record.stopping)
        return 'same'
      case 'gone':
        this.#runs.set(record.run, found.run)
        logs.add(found.run)
        clock.after(0, this.#stopped.signal, () => {
          const { left, otherBoot } = found
          if (record.phase !== 'exited')
            this.#tellExit(found.run, { wait: null, used: undefined, otherBoot, hasRun: left === 'proof' })
          if (left === 'nothing') this.#forget(found.run)
          else this.#parts.sweeper.add(found.run)
        })
        return 'gone'
      default:
        return assertNever(found)
    }
  }

  #find(record: RunRecord): FoundRun {
    try {
      return findRun({ ...this.#parts, clock: this.#options.clock }, record)
    } catch (fault) {
      if (!isShortage((fault as NodeJS.ErrnoException).code)) throw fault
      return { kind: 'cannot_tell' } // held, and looked for again
    }
  }

  end(id: RunId, how: Parameters<Supervisor['end']>[1]): void {
    const { source, reason, atOnce } = how
    const run = this.#runs.get(id)
    if (this.#held.has(id)) this.#endsOfHeld.set(id, how)
    else if (run?.phase === 'gated') this.discard(id)
    else if (run !== undefined) {
      climbLadder(this.#parts.ladder, run, { to: atOnce ? 'KILL' : 'TERM', source, reason })
    }
  }

  standing(id: RunId): ReturnType<Supervisor['standing']> {
    const held = this.#held.get(id)
    if (held !== undefined) this.#lookAgain(held)
    const stillHeld = this.#held.get(id)
    if (stillHeld !== undefined) return stillHeld.phase === 'exited' ? 'ended_apart' : 'held'
    const run = this.#runs.get(id)
    if (run === undefined) return 'unknown'
    return run.phase === 'exited' ? 'ended' : 'alive'
  }

  letGo(id: RunId): void {
    this.#held.delete(id)
    this.#endsOfHeld.delete(id)
    const run = this.#runs.get(id)
    if (run === undefined) return
    this.#parts.sweeper.drop(run)
    this.#parts.logs.release(id)
    run.watching.abort(over)
    this.#runs.delete(id)
    if (run.target.pidfd !== undefined) closeSync(run.target.pidfd)
  }

  samples(): readonly TreeSample[] {
    return this.#running().map(({ run, usage }) => ({
      run,
      processes: usage.processes,
      rssBytes: usage.rssBytes,
      cpuSeconds: cpuSeconds(usage),
      peakRssBytes: usage.peakRssBytes,
      lastOutputAtMs: usage.lastOutputAtMs,
    }))
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#leave()
    return this.#stopping
  }

  async #leave(): Promise<void> {
    this.#stopped.abort()
    await this.#starting?.catch(() => {}) // what kept it from starting was told to whoever started it
    await this.#built?.beat.stop()
    this.#built?.logs.stop()
    this.#built?.sweeper.stop()
    this.#built?.spawner.close()
    for (const run of this.#runs.values()) {
      run.watching.abort(over)
      if (run.phase === 'gated') run.gate?.close()
      if (run.target.pidfd !== undefined) closeSync(run.target.pidfd)
    }
    this.#runs.clear()
    this.#held.clear()
    this.#endsOfHeld.clear()
    this.#built = undefined
  }

  get #parts(): SupervisorParts {
    if (this.#built === undefined) throw new Error('the supervisor is used before its start or after its stop')
    return this.#built
  }

  async #build(): Promise<void> {
    const parts = await buildParts(this.#options, {
      running: () => this.#running(),
      gone: (run) => this.#exit(run, null),
      swept: (run) => this.#forget(run),
    })
    if (this.#stopped.signal.aborted) return parts.spawner.close()
    this.#built = parts
    this.#options.clock.every(heldEveryMs, this.#stopped.signal, () => this.#lookAtHeld())
  }

  #running(): readonly WatchedRun[] {
    return [...this.#runs.values()].filter(({ phase }) => phase === 'running')
  }

  /** The shim is gone. */
  #exit(run: WatchedRun, wait: WaitStatus | null, used?: ChildUse): void {
    if (run.phase === 'exited' || this.#built === undefined) return
    if (!run.adopted) run.sidOursUntilTicks = tickNow()
    this.#tellExit(run, { wait, used, otherBoot: false, hasRun: false })
    this.#built.sweeper.add(run)
  }

  #tellExit(run: WatchedRun, end: Pick<SeenEnd, 'wait' | 'used' | 'otherBoot' | 'hasRun'>): void {
    const { phase } = run
    run.phase = 'exited'
    run.watching.abort(over)
    run.gate?.close()
    this.#built?.logs.lookAt(run.run)
    crashPoint('exit.seen')
    this.#tellFacts(run, { ...end, phase, sawOomKills: () => this.#built?.oom.sawKills() ?? null })
  }

  /** Read again while the machine is short of something: what is written there would else count as not knowable. */
  #tellFacts(run: WatchedRun, seen: SeenEnd): void {
    const { clock, events } = this.#options
    let facts: ExitFacts
    try {
      facts = readExitFacts(run, seen)
    } catch (fault) {
      if (!isShortage((fault as NodeJS.ErrnoException).code)) throw fault
      clock.after(shortageMs, this.#stopped.signal, () => this.#tellFacts(run, seen))
      return
    }
    events.exited(facts)
  }

  /** Its tree is empty: the end of the second step. */
  #forget(run: WatchedRun): void {
    this.#runs.delete(run.run)
    this.#built?.logs.release(run.run)
    if (run.target.pidfd !== undefined) closeSync(run.target.pidfd)
    if (run.cgroup !== undefined) removeCgroup(run.cgroup) // what a task keeps is still in it: then it stays
    this.#options.events.swept(run.run)
  }

  #lookAtHeld(): void {
    // A copy: whoever still cannot be told is held again in the same look.
    for (const record of [...this.#held.values()]) this.#lookAgain(record)
  }

  /** What becomes known is told: one that has never run like one that was discarded, since nobody waits for an answer now. */
  #lookAgain(record: RunRecord): void {
    const { run } = record
    const { events } = this.#options
    this.#held.delete(run)
    const adopted = this.adopt(record)
    if (adopted === 'cannot_tell') return
    const how = this.#endsOfHeld.get(run)
    this.#endsOfHeld.delete(run)
    events.found?.(run, adopted)
    if (adopted === 'same' && how !== undefined) this.end(run, how)
    if (adopted !== 'never') return
    events.exited(neverRan(record))
    events.swept(run)
  }
}
