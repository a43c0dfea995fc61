import { readdirSync } from 'node:fs'
import type { HostIdentity } from './host-identity.ts'
import { readStat } from './proc-stat.ts'

/** Who a process is, beyond its number: machine, boot, pid namespace, pid and start time. Design section 6. */
export interface Fingerprint {
  readonly host: HostIdentity
  readonly pid: number
  readonly startTicks: number
}

/** Stored where a capture failed: never NULL, and never taken for anybody. */
export const unverified = 'unverified'

/**
 * same: alive, and the one that was captured. gone: provably not. cannot_tell: it may be alive, so it is neither
 * signalled nor let go.
 */
export type Compared = 'same' | 'gone' | 'cannot_tell'

/** Undefined when the process is not there or cannot be read. A zombie that was not reaped yet is still captured. */
export function captureFingerprint(host: HostIdentity, pid: number): Fingerprint | undefined {
  const stat = readStat(pid)
  return typeof stat === 'string' ? undefined : { host, pid, startTicks: stat.startTicks }
}

/**
 * `boot:namespace:init start:1 where the namespace ends with the capturer:machine|pid:start`, read back by
 * `parseFingerprint`.
 */
export function formatFingerprint({ host, pid, startTicks }: Fingerprint): string {
  const { bootId, namespace, initStartTicks, endsWithUs, machine } = host
  return `${bootId}:${namespace}:${initStartTicks ?? '-'}:${endsWithUs ? 1 : 0}:${machine ?? '-'}|${pid}:${startTicks}`
}

/** Undefined for `unverified` and for anything else that is not a fingerprint. Version 0.1 named no machine. */
export function parseFingerprint(text: string): Fingerprint | undefined {
  const match = /^([0-9a-f-]{36}):(\d+):(\d+|-):(\d+)(?::([0-9a-f]{8}|-))?\|([1-9]\d*):(\d+)$/.exec(text)
  if (match === null) return undefined
  const [, bootId = '', namespace = '', init, end, machine = '-', pid, startTicks] = match
  return {
    host: {
      bootId,
      namespace,
      initStartTicks: init === '-' ? null : Number(init),
      machine: machine === '-' ? null : machine,
      endsWithUs: end === '1',
    },
    pid: Number(pid),
    startTicks: Number(startTicks),
  }
}

/**
 * Looks at the process as it is now. Ask about a fingerprint of another life of the hub only while holding the home's
 * lock: that the lock was free is what proves that a hub which was PID 1 took its namespace with it.
 */
export function compareFingerprint(here: HostIdentity, recorded: Fingerprint | undefined): Compared {
  if (recorded === undefined) return 'cannot_tell'
  if (isOfOtherMachine(here, recorded.host)) return 'cannot_tell'
  if (isOfOtherBoot(here, recorded)) return 'gone'
  if (isOfOtherNamespace(here, recorded)) return recorded.host.endsWithUs ? 'gone' : 'cannot_tell'
  const stat = readStat(recorded.pid)
  if (typeof stat === 'string') return stat === 'gone' ? 'gone' : 'cannot_tell'
  if (stat.startTicks !== recorded.startTicks) return 'gone'
  return isDeadState(stat) ? 'gone' : 'same'
}

/** The machine was started anew since, where it is the same one: then nothing of that boot can be alive. */
export function isOfOtherBoot(here: HostIdentity, recorded: Fingerprint): boolean {
  return recorded.host.bootId !== here.bootId
}

/** One boot is on one machine, whatever a container shows as its id. */
function isOfOtherMachine(here: HostIdentity, there: HostIdentity): boolean {
  if (here.bootId === there.bootId || here.machine === null || there.machine === null) return false
  return here.machine !== there.machine
}

/** Of this boot, and of a pid namespace in which our numbers mean nothing. */
export function isOfOtherNamespace(here: HostIdentity, { host: there }: Fingerprint): boolean {
  if (there.bootId !== here.bootId) return false
  if (there.namespace !== here.namespace) return true
  const known = there.initStartTicks !== null && here.initStartTicks !== null
  return known && there.initStartTicks !== here.initStartTicks
}

/** A zombie is dead only when its leader is its last thread: with others in `task/` the program still runs. */
export function isDeadState({ pid, state }: { readonly pid: number; readonly state: string }): boolean {
  if (state === 'X' || state === 'x') return true
  if (state !== 'Z') return false
  try {
    return readdirSync(`/proc/${pid}/task`).length <= 1
  } catch {
    return true // it was reaped between the two looks
  }
}
