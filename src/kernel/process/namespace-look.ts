import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { isDeadState } from './fingerprint.ts'
import { readStat } from './proc-stat.ts'

/**
 * Whether a pid namespace of this boot has ended, and so all that was ever in it: the kernel ends them together. False where
 * it lives and where that cannot be told from here.
 */
export type IsNamespaceOver = (inode: string) => boolean

/** PROC_PID_INIT_INO (linux/proc_ns.h): the namespace above all others, from which every process of the machine is seen. */
const initialNamespace = '4026531836'

/**
 * Looks for anybody in a namespace. Only the initial one can see into every other, so from anywhere else nothing is ever
 * taken for over. One look at all processes serves all who ask in one turn of the loop. A number that a later namespace has got
 * counts as alive.
 */
export function createNamespaceLook({ namespace }: { readonly namespace: string }): IsNamespaceOver {
  let taken: { readonly living: ReadonlySet<string> | undefined } | undefined
  return (inode) => {
    if (namespace !== initialNamespace) return false
    if (taken === undefined) {
      taken = { living: findLiving(namespace) }
      queueMicrotask(() => {
        taken = undefined
      })
    }
    return taken.living?.has(inode) === false
  }
}

/**
 * Every namespace in which somebody lives; its PID 1 is there as long as it is, so none is missed while others come and go.
 * Undefined when not all processes could be looked at.
 */
function findLiving(own: string): ReadonlySet<string> | undefined {
  const pids = readPids()
  if (!pids.includes('1')) return undefined // a /proc that hides the processes of others
  const living = new Set([own])
  for (const pid of pids) {
    const found = readNamespace(pid) ?? (isBesideUs(pid) ? own : undefined)
    if (found === undefined) return undefined
    if (found !== 'ended' && !living.has(found) && !isDead(Number(pid))) living.add(found)
  }
  return living
}

function readPids(): readonly string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}

/** Undefined where it may not be read. */
function readNamespace(pid: string): string | 'ended' | undefined {
  try {
    return /\d+/.exec(readlinkSync(`/proc/${pid}/ns/pid`))?.[0]
  } catch (fault) {
    return isMissing(fault) ? 'ended' : undefined
  }
}

/** A process of another user shows at least in how many namespaces it has a number: with one alone it is in ours. */
function isBesideUs(pid: string): boolean {
  try {
    return /^NSpid:\t\d+$/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'))
  } catch (fault) {
    return isMissing(fault) // ended meanwhile: in none
  }
}

/** A PID 1 that nobody has collected yet was the last one of its namespace. */
function isDead(pid: number): boolean {
  const stat = readStat(pid)
  return typeof stat === 'string' ? stat === 'gone' : isDeadState(stat)
}

function isMissing(fault: unknown): boolean {
  const { code } = fault as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ESRCH'
}
