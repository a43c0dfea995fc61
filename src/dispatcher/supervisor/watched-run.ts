import { uptime } from 'node:os'
import type { RunId } from '../../kernel/index.ts'
import { type Fingerprint, type KillSource, type SignalTarget, ticksPerSecond } from '../../kernel/process/index.ts'
import type { RunLimits } from './contract.ts'
import type { Gate } from './spawn-shim.ts'

/**
 * One run under our eyes, from the spawn (or adoption) of its shim until its tree is swept.
 *
 *   gated ── go ──▶ running ── shim gone ──▶ exited ── tree empty ──▶ (forgotten)
 *     └── discard, or the shim gone ────────────▲
 */
export interface WatchedRun {
  readonly run: RunId
  readonly fence: number
  readonly runDir: string
  readonly marker: string
  readonly limits: RunLimits
  /** The shim. */
  readonly target: SignalTarget
  readonly adopted: boolean
  /** On the monotonic clock. */
  readonly startedMs: number
  /** Ends its timers and watchers; fired when it exits and when the supervisor stops. */
  readonly watching: AbortController
  readonly gate: Gate | undefined
  /** Undefined where an adopted shim's folder cannot be read. */
  readonly cwd: string | undefined
  /** Folder of its control group, where there is one. */
  readonly cgroup: string | undefined
  phase: 'gated' | 'running' | 'exited'
  /** The highest rung used, and why. */
  ladder: { rung: 'TERM' | 'KILL'; readonly source: KillSource; readonly reason: string } | undefined
  /** perhaps: the hub before us ended between the rung's commit and its answer. */
  delivered: 'yes' | 'no' | 'perhaps'
  /** `overdue` was told. */
  overdueTold: boolean
  /** Members of the tree outside the shim's session that were seen alive, by pid: who they were cannot be found out later. */
  readonly seenOutside: Map<number, Fingerprint>
  /**
   * Ticks since boot up to which every member of the session is ours for sure: the shim's number could not be given to
   * anybody else before. A child's number is ours until we collect it: Infinity until then. One that was adopted is
   * collected by somebody else, at any moment after the last look that saw it alive. null when nobody ever looked.
   */
  sidOursUntilTicks: number | null
  usage: TreeUsage
}

/** What the sampler knows; see `TreeSample`. */
export interface TreeUsage {
  /** How often it was looked at. */
  looks: number
  processes: number
  /** Kept processes not counted. */
  rssBytes: number
  /** By how much it grew between the last two looks. */
  rssBytesPerMs: number
  peakRssBytes: number
  /** CPU of members that are gone, as last seen. */
  endedCpuSeconds: number
  /** By `pid:start`, of those that live. */
  liveCpuSeconds: ReadonlyMap<string, number>
  logBytes: number
  lastOutputAtMs: number
  /** Monotonic: since when neither output nor CPU time was seen. */
  quietSinceMs: number
}

/** The tick that is on now, in the unit of `startTicks`: whatever is started later has this number or a larger one. */
export const tickNow = (): number => Math.floor(uptime() * ticksPerSecond)

/** The last tick that is over: whoever has its number was there before a look that begins now. */
export const lastTickBefore = (): number => tickNow() - 1

export function cpuSeconds({ endedCpuSeconds, liveCpuSeconds }: TreeUsage): number {
  let sum = endedCpuSeconds
  for (const seconds of liveCpuSeconds.values()) sum += seconds
  return sum
}
