import { closeSync } from 'node:fs'
import { type FoundCgroups, findCgroups, loadLibc, readProcessTable, readStat } from '../../kernel/process/index.ts'
import { findDeathSignal } from './spawn-shim.ts'

/** With what means processes are found and ended here: found out by trying, as the supervisor does. */
export interface Authority {
  /**
   * pidfd_groups: a signal reaches the very process, and whole groups also when their leader is gone (kernel 6.9).
   * pidfd: the very process. by_number: no koffi here, or the system forbids the call; a number is compared right before
   * and after each signal, which leaves a gap of microseconds.
   */
  readonly signals: 'pidfd_groups' | 'pidfd' | 'by_number'
  /** Without them a process that leaves group, environment and parents behind before it is looked at cannot be found. */
  readonly cgroups: FoundCgroups
  /** Whether workers can be made to end with this program (`run --orphans die`). */
  readonly deathSignal: 'works' | 'missing'
  /** hidden: /proc shows only processes of this user (hidepid), which is enough for those of ours. */
  readonly processes: 'seen' | 'hidden' | 'unreadable'
  /** Who takes leave of processes whose parents are gone. nobody: the hub is PID 1 and has no koffi. */
  readonly orphans: 'init' | 'hub' | 'nobody'
}

/** `hubPid`: the program whose means are asked for, ourselves or a hub that runs as the same user. */
export async function describeAuthority({ hubPid }: { readonly hubPid: number }): Promise<Authority> {
  const libc = await loadLibc()
  const canOpen = libc !== undefined && canOpenPidfd(libc)
  const deathSignal = await findDeathSignal()
  return {
    signals: !canOpen ? 'by_number' : libc.canSignalGroup ? 'pidfd_groups' : 'pidfd',
    cgroups: findCgroups({ of: hubPid }),
    deathSignal: deathSignal.length > 0 ? 'works' : 'missing',
    processes: readProcessTable() === undefined ? 'unreadable' : typeof readStat(1) === 'string' ? 'hidden' : 'seen',
    orphans: orphansGoTo(hubPid, libc),
  }
}

/** What to do where nobody takes leave of orphans, for a line at the start; undefined where somebody does. */
export async function adviseOnOrphans({ hubPid }: { readonly hubPid: number }): Promise<string | undefined> {
  if (orphansGoTo(hubPid, await loadLibc()) !== 'nobody') return undefined
  return 'this hub is PID 1 and cannot take leave of what its workers leave behind: start the container with an init (docker run --init)'
}

function orphansGoTo(hubPid: number, libc: Awaited<ReturnType<typeof loadLibc>>): Authority['orphans'] {
  if (hubPid !== 1) return 'init'
  return libc === undefined ? 'nobody' : 'hub'
}

function canOpenPidfd(libc: NonNullable<Awaited<ReturnType<typeof loadLibc>>>): boolean {
  const descriptor = libc.openPidfd(process.pid)
  if (descriptor >= 0) closeSync(descriptor)
  return descriptor >= 0
}
