import { lstatSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder, type YardError } from '../kernel/index.ts'
import { workspacesError } from './errors.ts'

/**
 * Makes a task's own folder, 0700, where it is not there yet; a retry finds what the last attempt left. A link or a
 * file in its place is never followed: undefined when all is well, else why not. Other faults of the disk are thrown.
 */
export function makeScratch(path: string): YardError | undefined {
  makeFolder(dirname(path), 0o700)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'EEXIST') throw fault
  }
  return lstatSync(path).isDirectory() ? undefined : workspacesError('WORKSPACES_SCRATCH_TAKEN', { path })
}
