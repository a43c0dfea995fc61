import { readlinkSync, statSync } from 'node:fs'
import { dirname, sep } from 'node:path'
import { compareFingerprint, type HostIdentity, parseFingerprint } from '../../kernel/process/index.ts'
import { exitDescriptor } from './shim.ts'

/**
 * Home of the hub that a living attempt works for, where `runDir` is only a copy of its directory, made on this machine
 * (`HOME/runs/SHARD/RUN`, see runs). Undefined where the attempt is ours, is gone, or cannot be told.
 */
export function findOriginalHome(
  host: HostIdentity,
  { fingerprint, runDir }: { readonly fingerprint: string | null; readonly runDir: string },
): string | undefined {
  const parsed = fingerprint === null ? undefined : parseFingerprint(fingerprint)
  if (parsed === undefined || compareFingerprint(host, parsed) !== 'same') return undefined
  const original = findOriginalRunDir({ shimPid: parsed.pid, runDir })
  return original === undefined ? undefined : dirname(dirname(dirname(original)))
}

/**
 * Where a living shim keeps its record, if that is another run directory than this one: then this home is a copy, on the
 * same machine, of the home that the shim works for, and it is not ours to signal. A copy of a home has the directory at the
 * same place below it. Where that cannot be seen, or the record is at any other place, the answer is undefined: what a worker
 * does to its own directory, moving it away included, must not take its run out of our reach.
 */
export function findOriginalRunDir({
  shimPid,
  runDir,
}: {
  readonly shimPid: number
  readonly runDir: string
}): string | undefined {
  try {
    // The name under which the kernel knows the open file now: a home that was moved is followed.
    const folder = dirname(readlinkSync(`/proc/${shimPid}/fd/${exitDescriptor}`))
    if (folder === runDir || placeInHome(folder) !== placeInHome(runDir)) return undefined
    const [there, here] = [statSync(folder), statSync(runDir)]
    return there.ino === here.ino && there.dev === here.dev ? undefined : folder
  } catch {
    return undefined
  }
}

/** `runs/SHARD/RUN` of `HOME/runs/SHARD/RUN`. */
const placeInHome = (runDir: string): string => runDir.split(sep).slice(-3).join(sep)
