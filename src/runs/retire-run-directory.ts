import { lstatSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import type { RunId } from '../kernel/index.ts'
import { composeRunDirectory } from './run-directory.ts'
import { composeRunFiles } from './run-files.ts'

/** not_ours: what stands there is a link, no directory, or does not bear the marks of one that we have made. */
export type Retired = 'moved' | 'missing' | 'not_ours'

/**
 * Takes the directory of a run away in one step, to the path `into` on the same disk, where it is removed at leisure: who
 * writes late finds nothing, and never half of it. Only a real directory below the real `runs` of the home that holds the
 * exit record with which it was made; nothing is followed.
 */
export function retireRunDirectory(home: string, run: RunId, into: string): Retired {
  const runDir = composeRunDirectory(home, run)
  const shard = dirname(runDir)
  const found = statOf(runDir)
  if (found === undefined) return 'missing'
  const isOurs =
    found.isDirectory() &&
    statOf(shard)?.isDirectory() === true &&
    statOf(dirname(shard))?.isDirectory() === true &&
    statOf(composeRunFiles(runDir).exit)?.isFile() === true
  if (!isOurs) return 'not_ours'
  renameSync(runDir, into)
  return 'moved'
}

/** Of the name itself, not of what a link leads to. */
const statOf = (path: string) => {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined // something above it is no folder
    throw fault
  }
}
