import { readlinkSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { exitDescriptor } from './shim.ts'

/**
 * Whether a living shim keeps its record in another run directory than this one: then this home is a copy, on the same
 * machine, of the home that the shim works for, and it is not ours to signal. Where that cannot be seen the answer is no: what
 * a worker does to its own directory must not take its run out of our reach.
 */
export function writesElsewhere({ shimPid, runDir }: { readonly shimPid: number; readonly runDir: string }): boolean {
  try {
    // The name under which the kernel knows the open file now: a home that was moved is followed.
    const folder = dirname(readlinkSync(`/proc/${shimPid}/fd/${exitDescriptor}`))
    const [there, here] = [statSync(folder), statSync(runDir)]
    return there.ino !== here.ino || there.dev !== here.dev
  } catch {
    return false
  }
}
