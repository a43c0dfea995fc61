import { readFileSync, readlinkSync } from 'node:fs'
import { processError } from './errors.ts'
import { readSystemId } from './machine-id.ts'
import { readStat, type StatAnswer, ticksPerSecond } from './proc-stat.ts'

/** In which world a pid means something: one boot of one kernel on one machine, one pid namespace of it. */
export interface HostIdentity {
  readonly bootId: string
  /** Inode of the pid namespace. */
  readonly namespace: string
  /** Start ticks of PID 1 of this namespace, or null where it may not be read; inode numbers come back, this does not. */
  readonly initStartTicks: number | null
  /** 8 hex digits made of the machine's id, so that a reboot is told from another machine; null where it has no id. */
  readonly machine: string | null
  /**
   * The namespace, and all in it, ends together with us: we are its PID 1, or the one child of an init of a container, which
   * leaves when that child does.
   */
  readonly endsWithUs: boolean
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
      machine: shorten(readSystemId()),
      endsWithUs: ownPid === 1 || isChildOfContainerInit(readStat(ownPid), init),
    }
  } catch (cause) {
    throw processError('PROCESS_NO_PROC', { why: (cause as Error).message }, cause)
  }
}

/** By their names in /proc: what `docker run --init`, podman, tini and dumb-init put in front of a program. Each ends with it. */
const containerInits: ReadonlySet<string> = new Set(['docker-init', 'tini', 'tini-static', 'dumb-init', 'catatonit'])

/** An init starts its one child at once; whoever becomes its child later is an orphan that came to it. */
const firstChildWithinTicks = ticksPerSecond

function isChildOfContainerInit(own: StatAnswer, init: StatAnswer): boolean {
  if (typeof own === 'string' || typeof init === 'string' || own.parent !== 1) return false
  if (own.startTicks - init.startTicks > firstChildWithinTicks) return false
  return containerInits.has(readFileSync('/proc/1/comm', 'latin1').trim())
}

/** FNV-1a: tells machines apart without showing the id, and without loading a library for it in each worker. */
function shorten(id: string | undefined): string | null {
  if (id === undefined) return null
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(`yardmaster ${id}`)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return hash.toString(16).padStart(8, '0')
}
