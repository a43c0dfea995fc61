import { readFileSync } from 'node:fs'

/**
 * Program and arguments as the process was started with them, zero bytes between; '' when it has none yet, is gone, or
 * may not be looked at. Between fork and exec it is that of the parent, and right after the exec it is empty until the
 * new program is complete: a text of its own means that the signal handlers of the parent are no longer in force.
 */
export function readCommandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1')
  } catch {
    return ''
  }
}
