import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { isDeadState } from './fingerprint.ts'
import { readMarkers } from './marker.ts'
import { type ProcessStat, readStat } from './proc-stat.ts'

/** A process that was started while others were looked at; its markers were read in the same moment. */
export interface Birth {
  readonly stat: ProcessStat
  readonly markers: readonly string[]
}

/** Follows the numbers that the kernel gives out. */
export interface BirthWatch {
  /** Who of interest was started since the last question and is alive now, as far as can be seen; no threads. Of the others nothing more is read. */
  catchUp(isOfInterest: (stat: ProcessStat) => boolean): readonly Birth[]
}

/**
 * Each takes as long as the few reads of it, so that one that forks within a tenth of a millisecond is met in one of them. The
 * first has as many as were started during the walk: more than this is a machine that starts 100,000 programs a second.
 */
const mostRounds = 5
const mostInARound = 512

/**
 * A walk over /proc takes milliseconds. Whoever forks and leaves again and again is in none of its steps: not begun when its
 * names were listed, over when it is read. So after a walk the numbers that were given out meanwhile are looked at, newest
 * first, until none is new. Where the newest number cannot be read nobody is found.
 */
export function watchBirths(): BirthWatch {
  let seen = readNewestNumber()
  return {
    catchUp(isOfInterest) {
      const births = new Map<number, Birth>()
      for (let round = 0; round < mostRounds; round += 1) {
        const newest = readNewestNumber()
        if (newest === undefined || seen === undefined || newest === seen) break
        // Numbers begin anew when all were given out.
        const count = newest > seen ? newest - seen : mostInARound
        for (let pid = newest; pid > Math.max(0, newest - Math.min(count, mostInARound)); pid -= 1) {
          const birth = readBirth(pid, isOfInterest)
          if (birth !== undefined) births.set(pid, birth)
        }
        seen = newest
      }
      return [...births.values()]
    },
  }
}

function readBirth(pid: number, isOfInterest: (stat: ProcessStat) => boolean): Birth | undefined {
  const stat = readStat(pid)
  if (typeof stat === 'string' || isDeadState(stat) || !isOfInterest(stat)) return undefined
  const markers = readMarkers(pid)
  return isThread(pid) ? undefined : { stat, markers }
}

/** Threads take numbers, too, and can be read by theirs though no listing names them. */
function isThread(pid: number): boolean {
  try {
    return /^Tgid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] !== String(pid)
  } catch {
    return false // gone meanwhile: what was read of it stands
  }
}

const buffer = Buffer.allocUnsafe(128)

/** The last field of /proc/loadavg, proc_loadavg(5): the number that was given out last in this pid namespace. In some 15 µs. */
function readNewestNumber(): number | undefined {
  let descriptor: number | undefined
  try {
    descriptor = openSync('/proc/loadavg', 'r')
    const text = buffer.toString('latin1', 0, readSync(descriptor, buffer, 0, buffer.length, 0))
    const number = Number(text.trim().split(' ')[4])
    return number > 0 ? number : undefined
  } catch {
    return undefined
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}
