import pidusage from 'pidusage'
import type { Clock } from '../../kernel/index.ts'
import type { Fingerprint, HostIdentity, ProcessStat } from '../../kernel/process/index.ts'
import type { TakeSnapshot } from './snapshot.ts'
import { cpuSeconds, type TreeUsage, type WatchedRun } from './watched-run.ts'

/** Below this share of one core a tree counts as idle: timers and keep-alives of a stuck program still use a little. */
const idleCpuShare = 0.01

export interface SamplerDeps {
  readonly clock: Clock
  readonly host: HostIdentity
  readonly snapshot: TakeSnapshot
}

export function freshUsage({ clock }: { readonly clock: Clock }): TreeUsage {
  return {
    looks: 0,
    processes: 0,
    rssBytes: 0,
    rssBytesPerMs: 0,
    peakRssBytes: 0,
    endedCpuSeconds: 0,
    liveCpuSeconds: new Map(),
    logBytes: 0,
    lastOutputAtMs: clock.nowMs(),
    quietSinceMs: clock.monotonicMs(),
  }
}

/**
 * Looks at the trees of these runs: notes members that left the session, while who they are can still be told, and reads
 * memory, CPU time and output. `sinceLastMs` is the time since the look before.
 */
export async function sampleTrees(
  deps: SamplerDeps,
  { runs, sinceLastMs }: { readonly runs: readonly WatchedRun[]; readonly sinceLastMs: number },
): Promise<void> {
  const look = deps.snapshot()
  if (look === undefined) return
  const trees = runs.map((run) => {
    const { inside, outside } = look.findTree(run, 'skip')
    noteOutside(deps.host, run, outside)
    return { run, members: [...inside, ...outside], kept: new Set(run.limits.keeps ? outside : []) }
  })
  const pids = trees.flatMap(({ members }) => members.map(({ pid }) => pid))
  const figures = await readFigures(pids, sinceLastMs)
  for (const tree of trees) note(deps.clock, { ...tree, figures, sinceLastMs })
}

export function noteOutside(host: HostIdentity, run: WatchedRun, outside: readonly ProcessStat[]): void {
  run.seenOutside.clear()
  for (const { pid, startTicks } of outside) run.seenOutside.set(pid, { host, pid, startTicks } satisfies Fingerprint)
}

/** Null for a process that ended meanwhile. */
type Figures = Readonly<Record<string, { readonly memory: number; readonly ctime: number } | null>>

/**
 * pidusage keeps a descriptor of each process it was asked about until `maxage` after the last question, and wants one;
 * a little more than the time between two looks is the least that works.
 */
async function readFigures(pids: readonly number[], sinceLastMs: number): Promise<Figures> {
  if (pids.length === 0) return {}
  try {
    return (await pidusage([...pids], { maxage: Math.max(1_000, 2 * sinceLastMs) })) as Figures
  } catch {
    return {} // none of them lives any more
  }
}

function note(
  clock: Clock,
  {
    run,
    members,
    kept,
    figures,
    sinceLastMs,
  }: {
    readonly run: WatchedRun
    readonly members: readonly ProcessStat[]
    readonly kept: ReadonlySet<ProcessStat>
    readonly figures: Figures
    readonly sinceLastMs: number
  },
): void {
  const { usage } = run
  const before = cpuSeconds(usage)
  const live = new Map<string, number>()
  let rssBytes = 0
  for (const member of members) {
    const { pid, startTicks } = member
    const figure = figures[pid]
    if (figure == null) continue
    if (!kept.has(member)) rssBytes += figure.memory
    live.set(`${pid}:${startTicks}`, figure.ctime / 1_000)
  }
  for (const [member, seconds] of usage.liveCpuSeconds) if (!live.has(member)) usage.endedCpuSeconds += seconds
  usage.liveCpuSeconds = live
  usage.looks += 1
  usage.processes = members.length
  usage.rssBytesPerMs = Math.max(0, rssBytes - usage.rssBytes) / Math.max(1, sinceLastMs)
  usage.rssBytes = rssBytes
  usage.peakRssBytes = Math.max(usage.peakRssBytes, rssBytes)
  const worked = cpuSeconds(usage) - before > (idleCpuShare * sinceLastMs) / 1_000
  if (worked) usage.quietSinceMs = clock.monotonicMs() // what it says is noted by who keeps its log
}
