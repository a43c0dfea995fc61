import { readFileSync } from 'node:fs'

/**
 * How many processes the kernel has killed for memory on the whole machine since it was started, whosever they were (also
 * seen from inside a container); null where that cannot be read (before kernel 4.13).
 */
export function readMachineOomKills(): number | null {
  try {
    const found = /^oom_kill (\d+)$/m.exec(readFileSync('/proc/vmstat', 'latin1'))?.[1]
    return found === undefined ? null : Number(found)
  } catch {
    return null
  }
}
