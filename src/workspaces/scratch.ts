import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder, type YardError } from '../kernel/index.ts'
import { workspacesError } from './errors.ts'

/**
 * Makes a task's own folder, 0700, where it is not there yet; a retry finds what the last attempt left. A link or a
 * file in its place is never followed: undefined when all is well, else why not. Other faults of the disk are thrown.
 * A mark beside it says which folder we have made; only that one is ever removed (see `retireScratch`).
 */
export function makeScratch(path: string): YardError | undefined {
  makeFolder(dirname(path), 0o700)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'EEXIST') throw fault
  }
  if (!lstatSync(path).isDirectory()) return workspacesError('WORKSPACES_SCRATCH_TAKEN', { path })
  // Also where a crash came between folder and mark: one that is empty is nobody's work.
  if (!isMarked(path) && readdirSync(path).length === 0) writeFileSync(markOf(path), identityOf(path), { mode: 0o600 })
  return undefined
}

/** not_ours: a link, no folder, or another one than we have made there. */
export type RetiredScratch = 'moved' | 'missing' | 'not_ours'

/** Takes a task's own folder away in one step, to the path `into` on the same disk, where it is removed at leisure. */
export function retireScratch(path: string, into: string): RetiredScratch {
  const isMissing = lstatSync(path, { throwIfNoEntry: false }) === undefined
  if (!isMissing && !isMarked(path)) return 'not_ours'
  if (!isMissing) renameSync(path, into)
  rmSync(markOf(path), { force: true })
  return isMissing ? 'missing' : 'moved'
}

const markOf = (path: string): string => `${path}.made`

function isMarked(path: string): boolean {
  try {
    return lstatSync(markOf(path)).isFile() && readFileSync(markOf(path), 'utf8') === identityOf(path)
  } catch {
    return false // no mark, or no folder
  }
}

/** Device and number of the folder itself: one that was put in its place has others. */
function identityOf(path: string): string {
  const { dev, ino } = lstatSync(path)
  return `${dev}:${ino}\n`
}
