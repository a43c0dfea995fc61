import { type Clock, describeDuration, describeSize, type RunId } from '../../kernel/index.ts'
import type { OverdueKind } from './contract.ts'
import type { StepWatch } from './step-watch.ts'
import { readNewestTouchMs } from './touched-files.ts'
import type { WatchedRun } from './watched-run.ts'

/** What has passed, if anything; times on the monotonic clock. Pure. */
export function findOverdue(
  { limits, startedMs, usage }: Pick<WatchedRun, 'limits' | 'startedMs' | 'usage'>,
  nowMs: number,
): OverdueKind | undefined {
  if (limits.memoryBytes !== null && usage.rssBytes > limits.memoryBytes) return 'memory'
  if (nowMs - startedMs >= limits.timeoutMs) return 'timeout'
  if (limits.stallMs !== 'off' && nowMs - usage.quietSinceMs >= limits.stallMs) return 'stall'
  return undefined
}

export interface LimitDeps {
  readonly clock: Clock
  /** Learns of ends that have happened and were not told yet. */
  readonly lookFresh: () => void
  readonly steps: StepWatch
  readonly events: { overdue(run: RunId, kind: OverdueKind, text: string): void }
}

/**
 * Tells that a limit has passed, once for each run. Nobody is judged by an old look: first the ends that have happened
 * are taken in, then the loop gets a turn for those that are on their way, and only then is the run, if it still runs,
 * overdue. So a hub that stood still for an hour does not call runs late that ended meanwhile.
 */
export function watchTimeout(deps: LimitDeps, run: WatchedRun): void {
  const { clock } = deps
  const leftMs = run.startedMs + run.limits.timeoutMs - clock.monotonicMs()
  clock.after(leftMs, run.watching.signal, () => {
    // A timer may end a little early, and is cut to the longest that there is.
    if (findOverdue(run, clock.monotonicMs()) === undefined) watchTimeout(deps, run)
    else judgeLimits(deps, run)
  })
}

/** Tells of a limit that has passed, after a fresh look. */
export function judgeLimits(deps: LimitDeps, run: WatchedRun): void {
  const { clock, lookFresh, events } = deps
  if (run.overdueTold || findOverdue(run, clock.monotonicMs()) === undefined) return
  lookFresh()
  clock.after(0, run.watching.signal, () => {
    const kind = run.overdueTold || run.phase !== 'running' ? undefined : findOverdue(run, clock.monotonicMs())
    if (kind === undefined || (kind === 'stall' && hasTouchedFiles(deps, run))) return
    run.overdueTold = true
    events.overdue(run.run, kind, describeOverdue(run, kind))
  })
}

/**
 * Work that neither writes a line nor takes CPU time of ours may still write files; then it was not quiet. Files have wall-clock
 * times: where that clock was set since it was last heard they say nothing, and its silence is counted anew.
 */
function hasTouchedFiles(
  { clock, steps }: Pick<LimitDeps, 'clock' | 'steps'>,
  { cwd, limits, usage }: WatchedRun,
): boolean {
  if (limits.stallMs === 'off' || cwd === undefined) return false
  steps.look()
  if (steps.steppedMs() >= usage.quietSinceMs) {
    usage.quietSinceMs = clock.monotonicMs()
    return true
  }
  const nowMs = clock.nowMs()
  const touchedMs = readNewestTouchMs(cwd, { nowMs })
  if (touchedMs === undefined) return false
  const agoMs = Math.max(0, nowMs - touchedMs)
  if (agoMs >= limits.stallMs) return false
  usage.quietSinceMs = clock.monotonicMs() - agoMs
  return true
}

function describeOverdue({ limits, usage }: WatchedRun, kind: OverdueKind): string {
  if (kind === 'memory') {
    const processes = usage.processes === 1 ? 'one process' : `${usage.processes} processes`
    return `${describeSize(usage.rssBytes)} in ${processes}, more than ${describeSize(limits.memoryBytes ?? 0)}`
  }
  if (kind === 'timeout') return `longer than ${describeDuration(limits.timeoutMs)}`
  const quietMs = limits.stallMs === 'off' ? 0 : limits.stallMs
  const said = usage.logBytes === 0 ? 'it never wrote a line' : 'its last output is older than that'
  return `no output, no CPU time and no file touched for ${describeDuration(quietMs)}; ${said}`
}
