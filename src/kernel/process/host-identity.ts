import { readFileSync, readlinkSync } from 'node:fs'
import { processError } from './errors.ts'
import { readStat } from './proc-stat.ts'

/** In which world a pid means something: one boot of one kernel, one pid namespace of it. */
export interface HostIdentity {
  readonly bootId: string
  /** Inode of the pid namespace. */
  readonly namespace: string
  /** Start ticks of PID 1 of this namespace, or null where it may not be read; inode numbers come back, this does not. */
  readonly initStartTicks: number | null
  /** Our own pid. 1: the kernel ends the namespace, and all in it, together with us. */
  readonly ownPid: number
}

/**
 * Reads it anew; it holds for the life of this process. Throws `PROCESS_NO_PROC` where /proc is missing or shows
 * another pid namespace than ours, since every answer about a pid would then be about somebody else's.
 */
export function readHostIdentity(): HostIdentity {
  const ownPid = process.pid
  try {
    const shown = readlinkSync('/proc/self')
    if (shown !== String(ownPid)) throw new Error(`/proc calls this process ${shown}, it is ${ownPid}`)
    const init = readStat(1)
    return {
      bootId: readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim(),
      namespace: /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '',
      initStartTicks: typeof init === 'string' ? null : init.startTicks,
      ownPid,
    }
  } catch (cause) {
    throw processError('PROCESS_NO_PROC', { why: (cause as Error).message }, cause)
  }
}
