import { closeSync, fsyncSync, linkSync, lstatSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { crashPoint } from '../kernel/index.ts'
import { copyError } from './copy-errors.ts'
import { boardError } from './errors.ts'

/**
 * Writes a file that `copy` makes, complete or not at all: beside its place first, on the disk, then in one step. A name
 * that is taken is refused, whatever bears it: it may be the store of another yard. 0600. Answers its size.
 */
export async function writeWhole(file: string, copy: (unfinished: string) => Promise<void>): Promise<number> {
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) throw copyError('BOARD_FILE_TAKEN', { file })
  const unfinished = `${file}.unfinished-${process.pid}`
  try {
    rmSync(unfinished, { force: true })
    closeSync(openSync(unfinished, 'wx', 0o600))
    await copy(unfinished)
    syncToDisk(unfinished)
    crashPoint('backup.written')
    putInPlace(unfinished, file)
    syncToDisk(dirname(file))
    crashPoint('backup.placed')
    return statSync(file).size
  } catch (cause) {
    rmSync(unfinished, { force: true })
    throw asTold(cause, file)
  }
}

/** A link is refused where the name was taken meanwhile; a rename would write over it. */
function putInPlace(unfinished: string, file: string): void {
  try {
    linkSync(unfinished, file)
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException
    if (code === 'EEXIST') throw copyError('BOARD_FILE_TAKEN', { file })
    renameSync(unfinished, file) // a file system without links
    return
  }
  rmSync(unfinished)
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

function asTold(cause: unknown, file: string): unknown {
  const code = (cause as { code?: unknown } | null)?.code
  if (typeof code !== 'string' || code.startsWith('BOARD_')) return cause
  if (code === 'ENOSPC' || code === 'SQLITE_FULL') return boardError('BOARD_DISK_FULL', { path: file }, cause)
  return copyError('BOARD_FILE_NOT_WRITTEN', { file, why: (cause as Error).message }, cause)
}
