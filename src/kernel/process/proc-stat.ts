import { closeSync, openSync, readdirSync, readSync } from 'node:fs'

/** What `/proc/PID/stat` says of one process. Times are clock ticks (`ticksPerSecond`). */
export interface ProcessStat {
  readonly pid: number
  /** One letter of proc(5): `R` running, `S` sleeping, `T` stopped, `Z` zombie, … */
  readonly state: string
  readonly parent: number
  readonly group: number
  /** Number of the POSIX session, which is the pid of who made it. */
  readonly sid: number
  readonly cpuTicks: number
  /** Since boot. With the pid it names a process: the number may come back, the pair does not within one tick. */
  readonly startTicks: number
}

/** USER_HZ: the unit of times in /proc, 100 on every Linux that Node runs on, whatever the kernel's own tick. */
export const ticksPerSecond = 100

/** gone: no such process. unreadable: nothing may be concluded. */
export type StatAnswer = ProcessStat | 'gone' | 'unreadable'

/** One process, in about 10 µs. */
export function readStat(pid: number): StatAnswer {
  const read = readStatFile(String(pid))
  if ('text' in read) return parseStat(read.text) ?? 'unreadable'
  if (!isMissing(read.code)) return 'unreadable'
  // A /proc that is not mounted has no process at all, and that proves nothing about this one.
  return 'text' in readStatFile('self') ? 'gone' : 'unreadable'
}

/**
 * Every process that can be seen. Undefined when the look is not complete (no free descriptor, no memory): what is not
 * in it could still be there.
 */
export function readAllStats(): readonly ProcessStat[] | undefined {
  const stats: ProcessStat[] = []
  for (const name of readProcessNames()) {
    const read = readStatFile(name)
    const stat = 'text' in read ? parseStat(read.text) : undefined
    if (stat !== undefined) stats.push(stat)
    else if ('code' in read && !isMissing(read.code) && !isForeign(read.code)) return undefined
  }
  return stats.length === 0 ? undefined : stats
}

function readProcessNames(): readonly string[] {
  try {
    return readdirSync('/proc').filter((name) => name >= '1' && name < ':')
  } catch {
    return [] // seen as an incomplete look: at least we ourselves would be in it
  }
}

/** It ended meanwhile. */
function isMissing(code: string | undefined): boolean {
  return code === 'ENOENT' || code === 'ESRCH'
}

/** Of another user, on a /proc that hides those (hidepid). */
function isForeign(code: string | undefined): boolean {
  return code === 'EACCES' || code === 'EPERM'
}

/** The fields of one stat line; undefined when it is not one. The name may hold blanks and brackets: what follows its last `)` counts. */
export function parseStat(text: string): ProcessStat | undefined {
  const nameEnd = text.lastIndexOf(')')
  const pid = Number.parseInt(text, 10)
  const fields = text.slice(nameEnd + 2).split(' ', 20)
  if (nameEnd < 0 || !(pid > 0) || fields.length < 20) return undefined
  const number = (index: number) => Number(fields[index])
  return {
    pid,
    state: fields[0] ?? '?',
    parent: number(1),
    group: number(2),
    sid: number(3),
    cpuTicks: number(11) + number(12),
    startTicks: number(19),
  }
}

// One buffer for all reads: each is used up before the next one begins, and a sweep makes hundreds.
const buffer = Buffer.allocUnsafe(2_048)

function readStatFile(name: string): { readonly text: string } | { readonly code: string | undefined } {
  let descriptor: number | undefined
  try {
    descriptor = openSync(`/proc/${name}/stat`, 'r')
    return { text: buffer.toString('latin1', 0, readSync(descriptor, buffer, 0, buffer.length, 0)) }
  } catch (fault) {
    return { code: (fault as NodeJS.ErrnoException).code }
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}
