import { type Clock, crashPoint, type RunId } from '../../kernel/index.ts'
import type { SignalDeps, SignalRecord } from '../../kernel/process/index.ts'
import { noteOutside } from './sampler.ts'
import { describeSignals, signalTree } from './signal-tree.ts'
import type { TakeSnapshot } from './snapshot.ts'
import type { WatchedRun } from './watched-run.ts'

export interface LadderDeps {
  readonly clock: Clock
  readonly signals: SignalDeps
  readonly snapshot: TakeSnapshot
  readonly events: {
    rung(run: RunId, rung: 'TERM' | 'KILL', answer: string): void
    signalled(run: RunId, records: readonly SignalRecord[]): void
  }
}

export interface Climb {
  readonly to: 'TERM' | 'KILL'
  readonly source: string
  readonly reason: string
}

/** A process that KILL did not end is stuck in the kernel; it dies when it comes out, but its new children do not. */
const killAgainMs = 30_000

/**
 * Uses a rung on the whole tree of a run that still runs, and plans the next one. A rung at or below the one in use
 * changes nothing. Nothing here waits: stops of many runs go on side by side.
 */
export function climbLadder(deps: LadderDeps, run: WatchedRun, { to, source, reason }: Climb): void {
  if (run.phase !== 'running' || run.ladder?.rung === 'KILL' || run.ladder?.rung === to) return
  run.ladder = { rung: to, source, reason }
  const answer = useRung(deps, run, { to, source, reason })
  deps.events.rung(run.run, to, answer)
  planNext(deps, run, { to, source, reason })
}

/** Goes on where a hub that is gone had stopped: a rung in use is not used again, except KILL. */
export function resumeLadder(deps: LadderDeps, run: WatchedRun, rung: 'TERM' | 'KILL' | null): void {
  const climb = { to: rung ?? 'TERM', source: 'restart', reason: 'its stop was under way before the restart' } as const
  if (rung === 'TERM') {
    run.ladder = { rung, source: climb.source, reason: climb.reason }
    planNext(deps, run, climb)
  } else climbLadder(deps, run, climb)
}

function planNext(deps: LadderDeps, run: WatchedRun, climb: Climb): void {
  const { clock } = deps
  const { signal } = run.watching
  if (climb.to === 'TERM') {
    clock.after(run.limits.graceMs, signal, () => climbLadder(deps, run, { ...climb, to: 'KILL' }))
  } else {
    clock.after(killAgainMs, signal, () => {
      useRung(deps, run, climb)
      planNext(deps, run, climb)
    })
  }
}

function useRung({ signals, snapshot, events }: LadderDeps, run: WatchedRun, { to, source, reason }: Climb): string {
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
  if (reachedWorker || (reachedGroup && (to === 'KILL' || seen === undefined))) run.delivered = true
  events.signalled(run.run, records)
  return describeSignals(records)
}
