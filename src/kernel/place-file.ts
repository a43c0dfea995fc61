import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from 'node:fs'

/**
 * Gives a file that was written beside its place the name that it is for, in one step and never over another: `taken` where
 * something bears the name by now, and then the unfinished one is left where it is. Throws what else the system says.
 */
export function placeFile(unfinished: string, file: string): 'placed' | 'taken' {
  try {
    linkSync(unfinished, file) // a rename would write over it
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'EEXIST') return 'taken'
    renameSync(unfinished, file) // a file system without links
    return 'placed'
  }
  rmSync(unfinished)
  return 'placed'
}

/** All of it is on the disk when this returns; of a folder: its names are. */
export function syncToDisk(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
