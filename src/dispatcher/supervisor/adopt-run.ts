import { existsSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../kernel/index.ts'
import {
  type CgroupBase,
  type Compared,
  compareFingerprint,
  type Fingerprint,
  type HostIdentity,
  type IsNamespaceOver,
  isOfOtherBoot,
  isOfOtherNamespace,
  openPidfd,
  parseFingerprint,
  readCgroupOf,
  type SignalDeps,
  type WaitStatus,
} from '../../kernel/process/index.ts'
import { type ExitRecord, readExitRecord } from '../../runs/index.ts'
import type { RunRecord } from './contract.ts'
import { cgroupName, parseStartedMonotonic } from './launch-run.ts'
import { findOriginalRunDir } from './original-home.ts'
import { freshUsage } from './sampler.ts'
import type { TakeSnapshot } from './snapshot.ts'
import { lastTickBefore, type WatchedRun } from './watched-run.ts'

/** What is found behind an open run of the store. */
export type FoundRun =
  | { readonly kind: 'never' | 'cannot_tell' }
  /** Out of our sight; its worker has ended, its record says how. What that left can neither be looked for nor ended from here. */
  | { readonly kind: 'ended_apart'; readonly end: WaitStatus }
  /** Its shim lives. */
  | { readonly kind: 'same'; readonly run: WatchedRun }
  /**
   * Its shim is gone. nothing: what it left went with its boot or namespace. perhaps: its tree is to be looked at. proof:
   * somebody of its tree lives, so it has run, whatever its record says.
   */
  | {
      readonly kind: 'gone'
      readonly run: WatchedRun
      readonly left: 'nothing' | 'perhaps' | 'proof'
      readonly otherBoot: boolean
    }

export interface AdoptDeps {
  readonly clock: Clock
  readonly signals: SignalDeps
  /** Undefined where no control groups can be had. */
  readonly cgroups: CgroupBase | undefined
  readonly snapshot: TakeSnapshot
  readonly isNamespaceOver: IsNamespaceOver
}

/** Looks at the process on record. Changes nothing; the pidfd that a found run holds is the caller's to close. */
export function findRun(deps: AdoptDeps, record: RunRecord): FoundRun {
  const { clock, signals, cgroups, snapshot } = deps
  const { host } = signals
  if (record.pid === null || record.fingerprint === null || record.phase === 'claimed') return { kind: 'never' }
  const fingerprint = parseFingerprint(record.fingerprint)
  const untilTicks = lastTickBefore()
  const compared = compare(deps, fingerprint)
  const said = compared !== 'same' && record.phase === 'started' ? readExitRecord(record.runDir) : null
  if (fingerprint === undefined || compared === 'cannot_tell') return findUnseen(host, fingerprint, said)
  const copied = { shimPid: fingerprint.pid, runDir: record.runDir }
  if (compared === 'same' && findOriginalRunDir(copied) !== undefined) return { kind: 'cannot_tell' }
  const run = watchRecord({ clock, signals, cgroups }, record, { fingerprint, alive: compared === 'same', untilTicks })
  if (run.phase === 'running') return { kind: 'same', run }
  const sameWorld = fingerprint.host.bootId === host.bootId && fingerprint.host.namespace === host.namespace
  const saysNever = said === 'never'
  const left = !sameWorld ? 'nothing' : saysNever ? lookForLeft(snapshot, run) : 'perhaps'
  if (saysNever && left === 'nothing') return { kind: 'never' }
  return { kind: 'gone', run, left, otherBoot: isOfOtherBoot(host, fingerprint) }
}

/** A namespace that has ended took all that was in it along. */
function compare({ signals, isNamespaceOver }: AdoptDeps, fingerprint: Fingerprint | undefined): Compared {
  const { host } = signals
  const compared = compareFingerprint(host, fingerprint)
  if (compared !== 'cannot_tell' || fingerprint === undefined || !isOfOtherNamespace(host, fingerprint)) return compared
  return isNamespaceOver(fingerprint.host.namespace) ? 'gone' : 'cannot_tell'
}

/**
 * A shim that never got its go says so itself, and one whose worker has ended says how: also where nobody can look at it. Read
 * that early the record decides an end and starts nothing, since whatever else was started there may live.
 */
function findUnseen(host: HostIdentity, fingerprint: Fingerprint | undefined, said: ExitRecord | null): FoundRun {
  if (said === 'never') return { kind: 'never' }
  const isApart = fingerprint === undefined || isOfOtherNamespace(host, fingerprint)
  return isApart && said !== null ? { kind: 'ended_apart', end: said } : { kind: 'cannot_tell' }
}

/** Its worker could have written the word, and then the next attempt would start beside what is left of this one. */
function lookForLeft(snapshot: TakeSnapshot, run: WatchedRun): 'nothing' | 'perhaps' | 'proof' {
  const tree = snapshot()?.findTree(run, 'read')
  if (tree === undefined) return 'perhaps'
  if (tree.inside.length + tree.outside.length > 0) return 'proof'
  return tree.doubtful.length > 0 ? 'perhaps' : 'nothing'
}

function watchRecord(
  { clock, signals, cgroups }: Pick<AdoptDeps, 'clock' | 'signals' | 'cgroups'>,
  record: RunRecord,
  {
    fingerprint,
    alive,
    untilTicks,
  }: { readonly fingerprint: Fingerprint; readonly alive: boolean; readonly untilTicks: number },
): WatchedRun {
  const { run, fence, runDir, marker, limits } = record
  return {
    run,
    fence,
    runDir,
    marker,
    limits,
    target: { fingerprint, pidfd: alive ? openPidfd(signals, fingerprint) : undefined },
    adopted: true,
    startedMs: parseStartedMonotonic(record.startedMonotonic, signals.host.bootId) ?? clock.monotonicMs(),
    watching: new AbortController(),
    gate: undefined,
    // Only the look for touched files needs it.
    cwd: alive && limits.stallMs !== 'off' ? readFolder(fingerprint.pid) : undefined,
    cgroup: findCgroup(cgroups, marker, alive ? fingerprint.pid : undefined),
    phase: alive && record.phase === 'started' ? 'running' : 'exited',
    ladder: alive ? undefined : ladderOf(record.stopping),
    delivered: deliveredOf(record.stopping),
    overdueTold: false,
    seenOutside: new Map(),
    sidOursUntilTicks: alive ? untilTicks : null,
    usage: freshUsage({ clock }),
  }
}

/** What had been asked of a run that is gone still says how its left-overs are to be ended. */
function ladderOf(stopping: RunRecord['stopping']): WatchedRun['ladder'] {
  if (stopping === null || stopping.rung === null) return undefined
  const { rung, source, reason } = stopping
  return { rung, source, reason }
}

/** Whether what had been asked of a run reached its worker, as far as the hub before us could note it. */
export function deliveredOf(stopping: RunRecord['stopping']): WatchedRun['delivered'] {
  if (stopping === null || stopping.rung === null) return 'no'
  return stopping.reached ? 'yes' : 'perhaps'
}

/** Where its shim is, which may be below a group that this hub does not work in; of one that is gone, where ours would be. */
function findCgroup(cgroups: CgroupBase | undefined, marker: string, shimPid: number | undefined): string | undefined {
  const name = cgroupName(marker)
  const ofShim = shimPid === undefined ? undefined : readCgroupOf(shimPid, { named: name })
  if (ofShim !== undefined) return holdsUs(ofShim) ? undefined : ofShim
  const own = cgroups === undefined || shimPid !== undefined ? undefined : join(cgroups.folder, name)
  return own !== undefined && existsSync(own) && !holdsUs(own) ? own : undefined
}

/** A hub that was started by a worker of this run: its own runs are in that group, too. */
function holdsUs(folder: string): boolean {
  return `${readCgroupOf('self') ?? ''}/`.startsWith(`${folder}/`)
}

/** The shim is started in its worker's folder and stays there. */
function readFolder(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return undefined // gone meanwhile
  }
}
