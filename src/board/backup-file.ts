import { closeSync, lstatSync, openSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { crashPoint, placeFile, refusesPath, saySystemFault, syncToDisk, systemRandom } from '../kernel/index.ts'
import { copyError } from './copy-errors.ts'
import { boardError } from './errors.ts'

/**
 * Writes a file that `copy` makes, complete or not at all: beside its place first, on the disk, then in one step. A name
 * that is taken is refused, whatever bears it: it may be the store of another yard. 0600. Answers its size.
 */
export async function writeWhole(file: string, copy: (unfinished: string) => Promise<void>): Promise<number> {
  refuseTaken(file)
  // Of this copy alone: another of the same name may be under way in this very process.
  const unfinished = `${file}.unfinished-${process.pid}-${systemRandom.hex(4)}`
  try {
    closeSync(openSync(unfinished, 'wx', 0o600))
    await copy(unfinished)
    syncToDisk(unfinished)
    crashPoint('backup.written')
    if (placeFile(unfinished, file) === 'taken') throw copyError('BOARD_FILE_TAKEN', { file })
    syncToDisk(dirname(file))
    crashPoint('backup.placed')
    return statSync(file).size
  } catch (cause) {
    removeUnfinished(unfinished)
    throw asTold(cause, file)
  }
}

function removeUnfinished(unfinished: string): void {
  try {
    rmSync(unfinished, { force: true })
  } catch {
    // Where it cannot be removed it could not be made: why is about to be told.
  }
}

function refuseTaken(file: string): void {
  let found: unknown
  try {
    found = lstatSync(file, { throwIfNoEntry: false })
  } catch (cause) {
    throw asTold(cause, file) // something above it is no folder, or may not be entered
  }
  if (found !== undefined) throw copyError('BOARD_FILE_TAKEN', { file })
}

function asTold(cause: unknown, file: string): unknown {
  const code = (cause as { code?: unknown } | null)?.code
  if (typeof code !== 'string' || code.startsWith('BOARD_')) return cause
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'SQLITE_FULL')
    return boardError('BOARD_DISK_FULL', { path: file }, cause)
  return copyError(
    refusesPath(cause) ? 'BOARD_FILE_NOT_MADE' : 'BOARD_FILE_NOT_WRITTEN',
    { file, why: saySystemFault(cause) },
    cause,
  )
}
