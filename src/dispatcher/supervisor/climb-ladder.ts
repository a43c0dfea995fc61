import { type Clock, crashPoint, type RunId } from '../../kernel/index.ts'
import {
  type KillSource,
  reachesKept,
  readCommandLine,
  type SignalDeps,
  type SignalRecord,
} from '../../kernel/process/index.ts'
import type { RunRecord, SupervisorEvents } from './contract.ts'
import type { FoundTree } from './find-tree.ts'
import { isOfPipe } from './pipe-log.ts'
import { noteOutside } from './sampler.ts'
import { describeSignals, signalKept, signalTree, sparesOutside } from './signal-tree.ts'
import type { TakeSnapshot } from './snapshot.ts'
import type { WatchedRun } from './watched-run.ts'

export interface LadderDeps {
  readonly clock: Clock
  readonly signals: SignalDeps
  readonly snapshot: TakeSnapshot
  readonly events: {
    climbing: SupervisorEvents['climbing']
    rung: SupervisorEvents['rung']
    signalled(run: RunId, records: readonly SignalRecord[]): void
  }
}

export interface Climb {
  readonly to: 'TERM' | 'KILL'
  readonly source: KillSource
  readonly reason: string
}

/** A process that KILL did not end is stuck in the kernel; it dies when it comes out, but its new children do not. */
const killAgainMs = 30_000
/** From go to the program of the worker it takes a millisecond, or some dozen on a busy machine. */
const firstLookAgainMs = 1
const longestLookAgainMs = 50
/** A worker that shows no program by then has one that cannot be read, or it may as well lose the signal. At most half its grace. */
const longestBeginMs = 1_000

/**
 * Uses a rung on the whole tree of a run that still runs, and plans the next one. A rung at or below the one in use
 * changes nothing, except that what the one in use spares is ended where this source reaches it. Nothing here waits: stops of
 * many runs go on side by side.
 */
export function climbLadder(deps: LadderDeps, run: WatchedRun, asked: Climb): void {
  if (run.phase !== 'running') return
  if (run.ladder?.rung === 'KILL' || run.ladder?.rung === asked.to) {
    widen(deps, run, asked)
    return
  }
  const { to, source, reason } = { ...asked, ...causeOf(run, asked) }
  run.ladder = { rung: to, source, reason }
  if (to === 'TERM') {
    const byMs = deps.clock.monotonicMs() + Math.min(longestBeginMs, run.limits.graceMs / 2)
    termOnceBegun(deps, run, { to, source, reason }, { byMs, againMs: firstLookAgainMs })
  } else tellRung(deps, run, { to, source, reason })
  planNext(deps, run, { to, source, reason })
}

/** A person who cancels what is over its time means what it keeps, too: that is asked now, and the rest is not asked twice. */
function widen({ signals, snapshot, events }: LadderDeps, run: WatchedRun, { source, reason }: Climb): void {
  if (run.ladder === undefined || !sparesOutside(run, run.ladder.source) || !reachesKept(source)) return
  run.ladder = { rung: run.ladder.rung, source, reason }
  const outside = snapshot()?.findTree(run, 'read').outside ?? [] // unseen now, it is found by the next rung or the sweep
  const how = { signal: 'TERM', source, reason } as const
  events.signalled(run.run, signalKept(signals, { outside, how }))
}

/** Of what is in use and what is asked, the one that reaches more. */
function causeOf({ ladder }: WatchedRun, asked: Climb): Pick<Climb, 'source' | 'reason'> {
  const { source, reason } = ladder !== undefined && reachesKept(ladder.source) ? ladder : asked
  return { source, reason }
}

/**
 * TERM waits for somebody who can hear it. The shim catches it, and between fork and exec its child still has the shim's
 * handlers: sent then it would be lost, the worker would start all the same and be killed after the whole grace. It
 * cannot be sent twice to be sure, as agents take the second for "at once". The grace runs on meanwhile. At `byMs` on
 * the monotonic clock it is sent in any case: nobody is killed who was never asked.
 */
function termOnceBegun(
  deps: LadderDeps,
  run: WatchedRun,
  climb: Climb,
  { byMs, againMs }: { readonly byMs: number; readonly againMs: number },
): void {
  if (run.phase !== 'running' || run.ladder?.rung !== 'TERM') return
  const tree = deps.snapshot()?.findTree(run, 'read')
  if (tree === undefined || hasBegun(run, tree) || deps.clock.monotonicMs() >= byMs) {
    tellRung(deps, run, climb)
    return
  }
  deps.clock.after(againMs, run.watching.signal, () => {
    termOnceBegun(deps, run, climb, { byMs, againMs: Math.min(2 * againMs, longestLookAgainMs) })
  })
}

/** Whether anybody of the tree runs a program that is not the shim's. */
function hasBegun({ target }: WatchedRun, { inside, outside }: FoundTree): boolean {
  const { pid: shimPid } = target.fingerprint
  const shim = readCommandLine(shimPid)
  return [...inside, ...outside].some(({ pid }) => {
    const text = pid === shimPid ? '' : readCommandLine(pid)
    return text !== '' && text !== shim && !isOfPipe(text)
  })
}

function tellRung(deps: LadderDeps, run: WatchedRun, climb: Climb): void {
  deps.snapshot() // taken before the commit, so that nothing but a system call lies between the two
  deps.events.climbing(run.run, climb.to)
  crashPoint('rung.committed')
  const used = useRung(deps, run, climb)
  deps.events.rung(run.run, climb.to, used)
}

/**
 * Goes on where a hub that is gone had stopped. A TERM on record is not sent again: agents take the second for "at once"
 * and leave their work half done. The price is paid by a hub that was killed in the microseconds between that commit and
 * the call: then the worker was never asked, and is killed when its grace is over. KILL is sent again; it has no second
 * meaning.
 */
export function resumeLadder(deps: LadderDeps, run: WatchedRun, stopping: NonNullable<RunRecord['stopping']>): void {
  const { rung, source } = stopping
  const reason = `${stopping.reason}; it was under way before the restart`
  if (rung === 'TERM') {
    run.ladder = { rung, source, reason }
    planNext(deps, run, { to: rung, source, reason })
  } else climbLadder(deps, run, { to: rung ?? 'TERM', source, reason })
}

function planNext(deps: LadderDeps, run: WatchedRun, climb: Climb): void {
  const { clock } = deps
  const { signal } = run.watching
  if (climb.to === 'TERM') {
    clock.after(run.limits.graceMs, signal, () => climbLadder(deps, run, { ...climb, to: 'KILL' }))
  } else {
    clock.after(killAgainMs, signal, () => {
      useRung(deps, run, { ...climb, ...causeOf(run, climb) })
      planNext(deps, run, climb)
    })
  }
}

function useRung({ signals, snapshot, events }: LadderDeps, run: WatchedRun, { to, source, reason }: Climb) {
  const seen = snapshot()?.findTree(run, 'read')
  // Without a full look the group is still reached: its leader is known, and stands for it.
  const tree = seen ?? { inside: [], outside: [], doubtful: [] }
  if (seen !== undefined) noteOutside(signals.host, run, seen.outside)
  const { records, reachedWorker, reachedGroup } = signalTree(signals, {
    run,
    tree,
    how: { signal: to, source, reason },
  })
  crashPoint(to === 'TERM' ? 'ladder.term' : 'ladder.kill')
  // TERM on the shim alone changes nothing: it catches it, and its worker has ended. KILL takes its record away.
  if (reachedWorker || (reachedGroup && (to === 'KILL' || seen === undefined))) run.delivered = 'yes'
  events.signalled(run.run, records)
  return { answer: describeSignals(records), reached: run.delivered === 'yes' ? 'worker' : 'nobody' } as const
}
