import { assertNever, type Clock, crashPoint, type RunId } from '../../kernel/index.ts'
import { type KillSource, reachesKept, type SignalDeps, type SignalRecord } from '../../kernel/process/index.ts'
import type { FoundTree } from './find-tree.ts'
import { signalTree, sparesOutside } from './signal-tree.ts'
import type { TakeSnapshot } from './snapshot.ts'
import type { WatchedRun } from './watched-run.ts'

/**
 * The second step of an end: the shim is gone, its outcome is decided, and now its tree is ended and verified empty.
 * One look at all processes serves every run that exited before it began, and looks take at most a tenth of the time.
 *
 * A run's leftovers get TERM, half a second later KILL, and if they are there a second after that (another user's, stuck
 * in the kernel, or doubtful) they are survivors: told, and looked at again every 30 s.
 */
export interface SweeperDeps {
  readonly clock: Clock
  readonly signals: SignalDeps
  readonly snapshot: TakeSnapshot
  readonly events: {
    swept(run: WatchedRun): void
    survivors(run: RunId, pids: readonly number[]): void
    signalled(run: RunId, records: readonly SignalRecord[]): void
  }
}

// A leftover is nobody's work any more: shorter than the grace of a worker that is being stopped.
const leftoverGraceMs = 500
const killedForMs = 1_000
const betweenLooksMs = 25
const survivorsEveryMs = 30_000
/** After a look that could not see everything. */
const blindForMs = 1_000
/** A look may begin when nine times the last one's duration have passed: at most 10 % duty (design section 6). */
const restPerLook = 9

interface Leftover {
  readonly run: WatchedRun
  step: 'fresh' | 'termed' | 'killed' | 'survivors'
  stepAtMs: number
  lookAtMs: number
  /** Survivors as last told: the same ones are not told twice. */
  told: string
}

export class Sweeper {
  readonly #deps: SweeperDeps
  readonly #leftovers = new Set<Leftover>()
  readonly #stopped = new AbortController()
  #earliestMs = 0
  #plannedMs = Number.POSITIVE_INFINITY
  #plan = new AbortController()

  constructor(deps: SweeperDeps) {
    this.#deps = deps
  }

  /** Looks at the run's tree from now on until it is empty. */
  add(run: WatchedRun): void {
    const nowMs = this.#deps.clock.monotonicMs()
    // What the ladder used is not used again: the second TERM means "at once" to some.
    const step = run.ladder === undefined ? 'fresh' : run.ladder.rung === 'TERM' ? 'termed' : 'killed'
    this.#leftovers.add({ run, step, stepAtMs: nowMs, lookAtMs: nowMs, told: '' })
    this.#planLook()
  }

  /** Looks at it no longer. */
  drop(run: WatchedRun): void {
    for (const leftover of this.#leftovers) if (leftover.run === run) this.#leftovers.delete(leftover)
  }

  stop(): void {
    this.#stopped.abort()
    this.#plan.abort()
    this.#leftovers.clear()
  }

  #planLook(): void {
    if (this.#stopped.signal.aborted || this.#leftovers.size === 0) return
    let dueMs = Number.POSITIVE_INFINITY
    for (const { lookAtMs } of this.#leftovers) dueMs = Math.min(dueMs, lookAtMs)
    const atMs = Math.max(dueMs, this.#earliestMs)
    if (atMs >= this.#plannedMs) return
    this.#plan.abort()
    this.#plan = new AbortController()
    this.#plannedMs = atMs
    const { clock } = this.#deps
    clock.after(atMs - clock.monotonicMs(), this.#plan.signal, () => {
      this.#plannedMs = Number.POSITIVE_INFINITY
      this.#look()
    })
  }

  #look(): void {
    const { clock, snapshot, events } = this.#deps
    const beganMs = clock.monotonicMs()
    const due = [...this.#leftovers].filter(({ lookAtMs }) => lookAtMs <= beganMs)
    const swept: WatchedRun[] = []
    for (const leftover of due) {
      const { run } = leftover
      const tree = snapshot()?.findTree(run, 'read')
      if (tree === undefined) leftover.lookAtMs = beganMs + blindForMs
      else if (isGone(run, tree)) {
        this.#leftovers.delete(leftover)
        swept.push(run)
      } else this.#climb(leftover, tree)
    }
    const endedMs = clock.monotonicMs()
    this.#earliestMs = endedMs + restPerLook * (endedMs - beganMs)
    this.#planLook()
    for (const run of swept) {
      crashPoint('tree.swept')
      events.swept(run)
    }
  }

  #climb(leftover: Leftover, tree: FoundTree): void {
    const nowMs = this.#deps.clock.monotonicMs()
    const next = nextStep(leftover, nowMs)
    const isNew = next !== leftover.step
    if (isNew) {
      leftover.step = next
      leftover.stepAtMs = nowMs
    }
    leftover.lookAtMs = nowMs + betweenLooksMs
    const { run } = leftover
    switch (next) {
      case 'fresh':
        break
      case 'termed':
        if (isNew) this.#signal(run, tree, 'TERM')
        break
      case 'killed':
        this.#signal(run, tree, 'KILL')
        break
      case 'survivors':
        this.#signal(run, tree, 'KILL')
        leftover.lookAtMs = nowMs + survivorsEveryMs
        this.#tellSurvivors(leftover, pidsOf(run, tree))
        break
      default:
        assertNever(next)
    }
  }

  #tellSurvivors(leftover: Leftover, pids: readonly number[]): void {
    const text = pids.join(' ')
    if (text === leftover.told) return
    leftover.told = text
    this.#deps.events.survivors(leftover.run.run, pids)
  }

  #signal(run: WatchedRun, tree: FoundTree, signal: 'TERM' | 'KILL'): void {
    const how = { signal, source: sourceOf(run), reason: 'left behind by an attempt that has ended' } as const
    this.#deps.events.signalled(run.run, signalTree(this.#deps.signals, { run, tree, how }).records)
  }
}

function nextStep({ step, stepAtMs }: Leftover, nowMs: number): Leftover['step'] {
  switch (step) {
    case 'fresh':
      return 'termed'
    case 'termed':
      return nowMs - stepAtMs >= leftoverGraceMs ? 'killed' : 'termed'
    case 'killed':
      return nowMs - stepAtMs >= killedForMs ? 'survivors' : 'killed'
    case 'survivors':
      return 'survivors'
    default:
      return assertNever(step)
  }
}

function isGone(run: WatchedRun, tree: FoundTree): boolean {
  return pidsOf(run, tree).length === 0
}

/**
 * Whom the task has to wait for. What it keeps may also run as another user, which nothing proves. Its session, and not its
 * group, tells what is kept: a shell with job control gives each of its jobs a group.
 */
function pidsOf(run: WatchedRun, { inside, outside, doubtful }: FoundTree): readonly number[] {
  const members = [...inside, ...doubtful, ...outside]
  const awaited = sparesOutside(run, sourceOf(run))
    ? members.filter(({ sid }) => sid === run.target.fingerprint.pid)
    : members
  return awaited.map(({ pid }) => pid)
}

/** A stop that reaches kept processes goes on doing so when the worker has ended before them. */
function sourceOf({ ladder }: WatchedRun): KillSource {
  return ladder !== undefined && reachesKept(ladder.source) ? ladder.source : 'sweep'
}
