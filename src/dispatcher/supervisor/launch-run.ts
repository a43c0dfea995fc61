import { closeSync, constants, openSync } from 'node:fs'
import { type Clock, crashPoint } from '../../kernel/index.ts'
import {
  type CgroupBase,
  captureFingerprint,
  formatFingerprint,
  makeRunCgroup,
  type OnEnd,
  openPidfd,
  removeCgroup,
  type SignalDeps,
} from '../../kernel/process/index.ts'
import { composeRunFiles } from '../../runs/index.ts'
import type { Launched, LaunchOrder } from './contract.ts'
import { buildPipe, findPipeTools } from './pipe-log.ts'
import { freshUsage } from './sampler.ts'
import { buildShimArguments, shellPath } from './shim.ts'
import type { ShimSpawner } from './spawn-shim.ts'
import type { WatchedRun } from './watched-run.ts'

export interface LaunchDeps {
  readonly clock: Clock
  readonly signals: SignalDeps
  readonly spawner: ShimSpawner
  /** Put before a command to end it with its parent; `[]` where that does not work. */
  readonly deathSignal: readonly string[]
  readonly orphans: 'live' | 'die'
  /** Undefined where no control groups can be had. */
  readonly cgroups: CgroupBase | undefined
}

/**
 * Starts the shim of a run and captures who it is, all in this turn: not even a shim that dies at once is reaped before.
 * The run is given back only when it was launched; `onEnd` is called only then.
 */
export function launchRun(
  { clock, signals, spawner, deathSignal, orphans, cgroups }: LaunchDeps,
  order: LaunchOrder,
  onEnd: (run: WatchedRun, ...end: Parameters<OnEnd>) => void,
): { readonly launched: Launched; readonly run?: WatchedRun } {
  const files = composeRunFiles(order.runDir)
  const pipe = pipeFor(order)
  if ('missing' in pipe) return refuse(order, sayMissing(pipe.missing))
  const logDescriptor = openLog(files.log)
  if (typeof logDescriptor !== 'number') return refuse(order, logDescriptor)
  const cgroup = cgroups === undefined ? undefined : makeRunCgroup(cgroups, cgroupName(order.marker), order.limits)
  const shell = buildShimArguments({
    exitPath: files.exit,
    rest: order.token === null ? 'nothing' : 'token',
    cgroup,
    wrapper: [...(pipe.length === 0 ? [] : deathSignal), ...pipe, ...deathSignal],
    command: order.argv,
  })
  const outer = orphans === 'die' ? deathSignal : []

  let run: WatchedRun | undefined
  const startedMs = clock.monotonicMs()
  const spawned = spawner.spawn(
    {
      program: outer[0] ?? shellPath,
      argv: outer.length === 0 ? shell : [...outer, shellPath, ...shell.slice(1)],
      env: order.env,
      cwd: order.cwd,
      logDescriptor,
      token: order.token,
    },
    (...end) => run !== undefined && onEnd(run, ...end),
  )
  closeSync(logDescriptor)
  if (!spawned.ok) {
    if (cgroup !== undefined) removeCgroup(cgroup)
    return refuse(order, spawned)
  }

  const fingerprint = captureFingerprint(signals.host, spawned.pid)
  if (fingerprint === undefined) {
    spawned.gate.close()
    return refuse(order, { code: 'UNVERIFIED', message: 'the new process could not be identified in /proc' })
  }
  crashPoint('shim.spawned')
  const { run: id, fence, runDir, marker, limits, cwd } = order
  run = {
    run: id,
    fence,
    runDir,
    marker,
    limits,
    cwd,
    cgroup,
    target: { fingerprint, pidfd: openPidfd(signals, fingerprint) },
    adopted: false,
    startedMs,
    watching: new AbortController(),
    gate: spawned.gate,
    phase: 'gated',
    ladder: undefined,
    delivered: 'no',
    overdueTold: false,
    seenOutside: new Map(),
    sidOursUntilTicks: Number.POSITIVE_INFINITY,
    usage: freshUsage({ clock }),
  }
  const startedMonotonic = formatStartedMonotonic(signals.host.bootId, startedMs)
  const identity = { pid: spawned.pid, fingerprint: formatFingerprint(fingerprint), startedMonotonic }
  return { launched: { ok: true, identity }, run }
}

/** `R981-nonce` of the marker `yard:R981:nonce`: homes that share a folder of control groups must not share a group. */
export function cgroupName(marker: string): string {
  return marker.split(':').slice(1).join('-')
}

/** `boot milliseconds`, read back by `parseStartedMonotonic`. */
function formatStartedMonotonic(bootId: string, startedMs: number): string {
  return `${bootId} ${Math.round(startedMs)}`
}

/** Undefined when it is of another boot, or is no such text. */
export function parseStartedMonotonic(text: string | null, bootId: string): number | undefined {
  const [boot, ms] = (text ?? '').split(' ')
  return boot === bootId && ms !== undefined && /^\d+$/.test(ms) ? Number(ms) : undefined
}

/** What stands between shim and worker where the lane says `log: piped`. */
function pipeFor({ runDir, limits, marker }: LaunchOrder): readonly string[] | { readonly missing: readonly string[] } {
  if (limits.logBy === 'worker' || limits.logBytes === null) return []
  const tools = findPipeTools()
  if ('missing' in tools) return tools
  return buildPipe({ tools, node: process.execPath }, { runDir, limitBytes: limits.logBytes, marker })
}

function sayMissing(programs: readonly string[]) {
  const names = programs.join(' and ')
  const message = `log: piped needs ${names} in /usr/bin or /bin: install what is missing, or take log: piped out of the lane`
  return { code: 'NO_PIPE', message } as const
}

/** Only ever appended to, by whoever holds it: two writers never cover each other's lines. */
function openLog(path: string): number | { readonly code: string; readonly message: string } {
  try {
    const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants
    return openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600)
  } catch (fault) {
    const { code, message } = fault as NodeJS.ErrnoException
    return { code: code ?? 'EIO', message }
  }
}

function refuse({ argv, env }: LaunchOrder, why: { readonly code: string; readonly message: string }) {
  // As the kernel counts them: each text with its end mark, and a pointer to it.
  const texts = [...argv, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)]
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text) + 9, 0)
  return { launched: { ok: false, code: why.code, message: why.message, bytes } } as const
}
