import { statSync } from 'node:fs'
import { type Random, YardError } from '../kernel/index.ts'
import { copyError } from './copy-errors.ts'
import { refuseUnknownStore } from './refuse-unknown-store.ts'
import { checkThoroughly } from './sqlite/check-integrity.ts'
import { copyForReading, type StoreCopy } from './sqlite/copy-for-reading.ts'
import { openDatabase } from './sqlite/database.ts'

/**
 * Refuses what cannot be restored, from end to end, before anything is made for it: for a home that is not there yet.
 * Throws what `restoreStore` throws of the file.
 */
export function refuseBadBackup(deps: { readonly random: Random }, file: string): void {
  refuseNoBackup(file)
  let copy: StoreCopy
  try {
    copy = copyForReading(file) // looking at it where it lies would write beside it
  } catch {
    return // no room for that here: it is looked at again beside the store
  }
  try {
    refuseDamaged(deps, { file, copy: copy.path })
  } finally {
    copy.remove()
  }
}

/** The part of it that reads no more than the first bytes: missing, empty, foreign, of a newer program. */
export function refuseNoBackup(file: string): void {
  if (!isFilledFile(file)) throw copyError('BOARD_NO_BACKUP', { file })
  asOfBackup(file, () => refuseUnknownStore(file))
}

function isFilledFile(file: string): boolean {
  try {
    const found = statSync(file)
    return found.isFile() && found.size > 0
  } catch {
    return false // nothing can be found under that name
  }
}

/** The same refusals as of a home's own store, but here the file that was named is the caller's to mend. */
export function asOfBackup<T>(file: string, act: () => T): T {
  try {
    return act()
  } catch (fault) {
    if (!(fault instanceof YardError)) throw fault
    if (fault.code === 'BOARD_NOT_A_BOARD') throw copyError('BOARD_NOT_A_BACKUP', { file }, fault)
    if (fault.code !== 'BOARD_TOO_NEW') throw fault
    const { file: version, known } = fault.values
    throw copyError('BOARD_BACKUP_TOO_NEW', { file, version: Number(version), known: Number(known) }, fault)
  }
}

/** Throws `BOARD_BACKUP_DAMAGED` of `file` when its `copy` is. */
export function refuseDamaged(
  deps: { readonly random: Random },
  { file, copy }: { readonly file: string; readonly copy: string },
): void {
  let found: string | undefined
  try {
    const db = openDatabase(deps, copy)
    try {
      found = checkThoroughly(db)
    } finally {
      db.close()
    }
  } catch (fault) {
    if (!(fault instanceof YardError) || fault.code !== 'BOARD_DAMAGED') throw fault
    found = String(fault.values.code)
  }
  if (found !== undefined) throw copyError('BOARD_BACKUP_DAMAGED', { file, found })
}
