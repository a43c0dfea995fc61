import { lstatSync, mkdirSync, readdirSync, renameSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { makeFolder, type YardError } from '../kernel/index.ts'
import { workspacesError } from './errors.ts'
import { identityOf, readMark, removeMark, writeMark } from './mark.ts'

/**
 * Makes a task's own folder, 0700, where it is not there yet; a retry finds what the last attempt left. A link or a
 * file in its place is never followed, and a worktree of the same task is never taken for it: undefined when all is well,
 * else why not. Other faults of the disk are thrown. A mark beside it says which folder we have made; only that one is
 * ever removed (see `retireScratch`).
 */
export function makeScratch(path: string): YardError | undefined {
  makeFolder(dirname(path), 0o700)
  const mark = readMark(path)
  if (mark !== undefined && mark !== 'broken' && mark.kind === 'worktree') {
    return workspacesError('WORKSPACES_KIND_CHANGED', { path, task: basename(path), is: 'worktree', asked: 'scratch' })
  }
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'EEXIST') throw fault
  }
  if (!lstatSync(path).isDirectory()) return workspacesError('WORKSPACES_SCRATCH_TAKEN', { path })
  // Also where a crash came between folder and mark: one that is empty is nobody's work.
  if (!isMarked(path) && readdirSync(path).length === 0) {
    writeMark(path, { kind: 'scratch', identity: identityOf(path) ?? '' })
  }
  return undefined
}

/** not_ours: a link, no folder, or another one than we have made there. worktree: it is one, and goes another way. */
export type RetiredScratch = 'moved' | 'missing' | 'not_ours' | 'worktree'

/** Takes a task's own folder away in one step, to the path `into` on the same disk, where it is removed at leisure. */
export function retireScratch(path: string, into: string): RetiredScratch {
  const isMissing = lstatSync(path, { throwIfNoEntry: false }) === undefined
  const mark = readMark(path)
  if (mark !== undefined && mark !== 'broken' && mark.kind === 'worktree') return 'worktree'
  if (!isMissing && !isMarked(path)) return 'not_ours'
  if (!isMissing) renameSync(path, into)
  removeMark(path)
  return isMissing ? 'missing' : 'moved'
}

function isMarked(path: string): boolean {
  const mark = readMark(path)
  return mark !== undefined && mark !== 'broken' && mark.kind === 'scratch' && mark.identity === identityOf(path)
}
