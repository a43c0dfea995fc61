import {
  describeSignal,
  type Fingerprint,
  type HostIdentity,
  isOfThisUser,
  type KillSource,
  killCgroup,
  type ProcessStat,
  reachesKept,
  type SignalDeps,
  type SignalOrder,
  type SignalRecord,
  sendSignal,
  watchBirths,
} from '../../kernel/process/index.ts'
import type { FoundTree } from './find-tree.ts'
import type { WatchedRun } from './watched-run.ts'

export interface TreeSignal {
  readonly signal: 'TERM' | 'KILL'
  readonly source: KillSource
  readonly reason: string
}

export interface TreeSignalled {
  readonly records: readonly SignalRecord[]
  /** A process of the tree besides its shim was reached. */
  readonly reachedWorker: boolean
  /** The shim, or the group in which it is, was reached. */
  readonly reachedGroup: boolean
}

/**
 * Signals every member of a tree that may be signalled: the group at once, so that nobody in it can fork away from a
 * list, then whoever the group did not reach, one by one. TERM is followed by CONT, since a stopped process with a
 * handler hears nothing until it goes on. Kept processes (outside the session, with `keeps`) hear it
 * only from a source that reaches them (`killPolicy`).
 */
export function signalTree(
  deps: SignalDeps,
  { run, tree, how }: { readonly run: WatchedRun; readonly tree: FoundTree; readonly how: TreeSignal },
): TreeSignalled {
  const shimPid = run.target.fingerprint.pid
  const births = how.signal === 'KILL' && !sparesOutside(run, how.source) ? watchBirths() : undefined
  const signals = signalsOf(how.signal)
  const records: SignalRecord[] = []
  const send = (target: SignalOrder['target'], scope: SignalOrder['scope']): boolean => {
    const sent = signals.map((signal) =>
      sendSignal(deps, { target, scope, signal, source: how.source, reason: how.reason }),
    )
    records.push(...sent)
    return sent[0]?.answer === 'delivered'
  }

  // While the run is on, its group is signalled whatever the look has seen: it may have been forking just then.
  const mayHaveGroup = run.phase !== 'exited' || tree.inside.length + tree.doubtful.length > 0
  const reachedGroup = mayHaveGroup && send(run.target, 'group')
  const alone = [
    ...tree.inside.filter(({ group }) => !reachedGroup || group !== shimPid),
    ...(sparesOutside(run, how.source) ? [] : tree.outside),
  ]
  const reached = alone.filter((stat) => send(targetOf(deps.host, stat), 'process'))
  // Whoever forks and ends faster than a list is made and used: right when it is met.
  for (const { stat, markers } of births?.catchUp(() => true) ?? []) {
    if (markers.includes(run.marker) && isOfThisUser(stat.pid) && send(targetOf(deps.host, stat), 'process')) {
      reached.push(stat)
    }
  }
  // Last, and all at once: whoever was forked behind the list, or is stopped between fork and exec, is in it.
  if (how.signal === 'KILL' && run.cgroup !== undefined && !sparesOutside(run, how.source)) {
    records.push(killCgroup({ folder: run.cgroup, pid: shimPid, source: how.source, reason: how.reason }))
  }
  return {
    records,
    reachedGroup,
    reachedWorker:
      reached.some(({ pid }) => pid !== shimPid) ||
      (reachedGroup && tree.inside.some(({ pid, group }) => group === shimPid && pid !== shimPid)),
  }
}

/** Signals what a run keeps, and nobody else of it. */
export function signalKept(
  deps: SignalDeps,
  { outside, how }: { readonly outside: FoundTree['outside']; readonly how: TreeSignal },
): readonly SignalRecord[] {
  const { signal, source, reason } = how
  return outside.flatMap((stat) =>
    signalsOf(signal).map((one) =>
      sendSignal(deps, { target: targetOf(deps.host, stat), scope: 'process', signal: one, source, reason }),
    ),
  )
}

/** A stopped process with a handler hears TERM only when it goes on. */
function signalsOf(signal: TreeSignal['signal']): readonly SignalOrder['signal'][] {
  return signal === 'TERM' ? ['SIGTERM', 'SIGCONT'] : ['SIGKILL']
}

/** What a run keeps lies outside of its shim's session: whoever stays in that has not been put aside. */
export function sparesOutside({ limits }: Pick<WatchedRun, 'limits'>, source: KillSource): boolean {
  return limits.keeps && !reachesKept(source)
}

/** For the record of a run. */
export function describeSignals(records: readonly SignalRecord[]): string {
  const told = records.filter(({ signal }) => signal !== 'SIGCONT').map(describeSignal)
  return told.length === 0 ? 'nobody was left to signal' : told.join('; ')
}

function targetOf(host: HostIdentity, { pid, startTicks }: ProcessStat): SignalOrder['target'] {
  const fingerprint: Fingerprint = { host, pid, startTicks }
  return { fingerprint, pidfd: undefined }
}
