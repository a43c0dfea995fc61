import { closeSync } from 'node:fs'
import { constants } from 'node:os'
import { getSystemErrorName } from 'node:util'
import { assertNever } from '../index.ts'
import { compareFingerprint, type Fingerprint } from './fingerprint.ts'
import type { HostIdentity } from './host-identity.ts'
import type { KillSource } from './kill-sources.ts'
import type { Libc } from './libc.ts'
import { readStat } from './proc-stat.ts'
import { readOwnLine } from './process-table.ts'

/**
 * The one module that signals. Every signal goes to a process that was proven to be the one on record, in the moment of
 * sending: through a pidfd that was opened first and verified afterwards, so that the number cannot change hands in
 * between; or, where none can be had, by verify-signal-verify, which leaves a gap of microseconds and says so in the record.
 */
export interface SignalDeps {
  readonly host: HostIdentity
  /** Undefined where koffi does not load. */
  readonly libc: Libc | undefined
}

export interface SignalOrder {
  readonly target: SignalTarget
  /** group: all processes of the group that the target leads. */
  readonly scope: 'process' | 'group'
  readonly signal: 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'SIGCONT' | 'SIGKILL'
  readonly source: KillSource
  /** For the record: who asked, and why. */
  readonly reason: string
}

export interface SignalTarget {
  readonly fingerprint: Fingerprint
  /** Opened by `openPidfd` early in its life, where there is one. */
  readonly pidfd: number | undefined
}

/** What was sent, how, and what came of it. */
export interface SignalRecord {
  readonly pid: number
  readonly scope: 'process' | 'group' | 'cgroup'
  readonly signal: SignalOrder['signal']
  readonly source: KillSource
  readonly reason: string
  readonly method: 'pidfd' | 'verify_signal_verify' | 'cgroup_kill'
  readonly answer: SignalAnswer
}

export type SignalAnswer =
  | 'delivered'
  /** Nobody is there any more. */
  | 'gone'
  /** It may be somebody else: nothing was sent. */
  | 'cannot_tell'
  /** It is ourselves, an ancestor of ours or PID 1: nothing was sent. */
  | 'refused'
  /** The kernel said no, `failed EPERM`. */
  | `failed ${string}`

/** Sends one signal, or says why not. Never throws for what the target is or does. */
export function sendSignal(deps: SignalDeps, order: SignalOrder): SignalRecord {
  const { target, scope, signal, source, reason } = order
  const sent = wouldHitOurselves(order)
    ? { method: methodOf(deps), answer: 'refused' as const }
    : scope === 'group'
      ? signalGroup(deps, order)
      : signalProcess(deps, order)
  return { pid: target.fingerprint.pid, scope, signal, source, reason, ...sent }
}

/** `TERM to the group of 4121 by pidfd: delivered`, for the record of a run. */
export function describeSignal({ pid, scope, signal, method, answer }: SignalRecord): string {
  return `${signal.slice(3)} to ${scopeWords[scope]}${pid} ${methodWords[method]}: ${answer}`
}

const scopeWords = { process: '', group: 'the group of ', cgroup: 'the control group of ' } as const
const methodWords = {
  pidfd: 'by pidfd',
  verify_signal_verify: 'by number, verified before and after',
  cgroup_kill: 'by cgroup.kill',
} as const

/** A pidfd of this very process, verified after it was opened; undefined when it is gone or pidfds cannot be had here. */
export function openPidfd({ host, libc }: SignalDeps, fingerprint: Fingerprint): number | undefined {
  const pidfd = libc?.openPidfd(fingerprint.pid) ?? -1
  if (pidfd < 0) return undefined
  const stat = readStat(fingerprint.pid)
  // A zombie of ours still is the process: its pidfd is what reaches its group later.
  if (typeof stat !== 'string' && stat.startTicks === fingerprint.startTicks && isHere(host, fingerprint)) return pidfd
  closeSync(pidfd)
  return undefined
}

type Sent = Pick<SignalRecord, 'method' | 'answer'>

function signalGroup(deps: SignalDeps, { target, signal }: SignalOrder): Sent {
  if (deps.libc?.canSignalGroup === true && target.pidfd !== undefined) {
    const errno = deps.libc.signalPidfd(target.pidfd, constants.signals[signal], 'group')
    return { method: 'pidfd', answer: readErrno(errno) }
  }
  // A group's number is not given out again while its leader is there: with the leader proven, no stranger is in it.
  return signalVerified(deps, target.fingerprint, () => process.kill(-target.fingerprint.pid, signal))
}

function signalProcess(deps: SignalDeps, { target, signal }: SignalOrder): Sent {
  const { libc, host } = deps
  const pidfd = libc?.openPidfd(target.fingerprint.pid) ?? -constants.errno.ENOSYS
  if (pidfd === -constants.errno.ESRCH) return { method: 'pidfd', answer: 'gone' }
  // No koffi, a kernel before 5.3, a container that forbids the call, or no descriptor left: it must be ended all the same.
  if (libc === undefined || pidfd < 0) {
    return signalVerified(deps, target.fingerprint, () => process.kill(target.fingerprint.pid, signal))
  }
  try {
    const compared = compareFingerprint(host, target.fingerprint)
    if (compared !== 'same') return { method: 'pidfd', answer: compared }
    return { method: 'pidfd', answer: readErrno(libc.signalPidfd(pidfd, constants.signals[signal], 'process')) }
  } finally {
    closeSync(pidfd)
  }
}

function signalVerified({ host }: SignalDeps, fingerprint: Fingerprint, send: () => void): Sent {
  const method = 'verify_signal_verify'
  const before = compareFingerprint(host, fingerprint)
  switch (before) {
    case 'gone':
    case 'cannot_tell':
      return { method, answer: before }
    case 'same':
      break
    default:
      return assertNever(before)
  }
  try {
    send()
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException
    return { method, answer: code === 'ESRCH' ? 'gone' : `failed ${code}` }
  }
  // Same, or dead by this signal: a start time that changed under us would be somebody else, hit by the gap.
  const after = readStat(fingerprint.pid)
  const stranger = typeof after !== 'string' && after.startTicks !== fingerprint.startTicks
  return { method, answer: stranger ? 'failed and the number changed hands meanwhile' : 'delivered' }
}

function wouldHitOurselves({ target, scope }: SignalOrder): boolean {
  const { pid } = target.fingerprint
  const line = readOwnLine()
  if (line.has(pid)) return true
  if (scope === 'process') return false
  return [...line].some((own) => {
    const stat = readStat(own)
    return typeof stat !== 'string' && stat.group === pid
  })
}

function isHere(host: HostIdentity, { host: there }: Fingerprint): boolean {
  return there.bootId === host.bootId && there.namespace === host.namespace
}

function methodOf({ libc }: SignalDeps): SignalRecord['method'] {
  return libc === undefined ? 'verify_signal_verify' : 'pidfd'
}

function readErrno(errno: number): SignalAnswer {
  if (errno === 0) return 'delivered'
  const name = getSystemErrorName(-errno)
  return name === 'ESRCH' ? 'gone' : `failed ${name}`
}
