import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { boardError } from '../errors.ts'

/** A store and its log in a private folder of their own. */
export interface StoreCopy {
  readonly path: string
  remove(): void
}

/** Where a copy may have room when the disk of the store has none: the second one is memory. */
const places = [tmpdir(), '/dev/shm']

/**
 * Copies a store that cannot be opened where it lies, because even a reader has to write beside it
 * (https://sqlite.org/wal.html, "read-only databases"). Throws `BOARD_NOT_OPENED` where no place has room, and `BOARD_LOCKED`
 * for one that changed meanwhile.
 */
export function copyForReading(path: string): StoreCopy {
  const faults: unknown[] = []
  for (const place of places) {
    try {
      return copyInto(place, path)
    } catch (fault) {
      faults.push(fault)
    }
  }
  throw boardError('BOARD_NOT_OPENED', { path }, faults[0])
}

function copyInto(place: string, path: string): StoreCopy {
  const folder = mkdtempSync(join(place, 'yardmaster-copy-')) // 0700
  const remove = () => rmSync(folder, { recursive: true, force: true })
  const copy = join(folder, 'yard.db')
  try {
    const before = lookOf(path)
    copyFileSync(path, copy)
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`)
    if (lookOf(path) !== before) throw boardError('BOARD_LOCKED', { path })
    return { path: copy, remove }
  } catch (fault) {
    remove()
    throw fault
  }
}

/** Two files of one moment: nobody wrote between. */
function lookOf(path: string): string {
  const files = [path, `${path}-wal`].map((file) => statSync(file, { throwIfNoEntry: false, bigint: true }))
  return files.map((found) => (found === undefined ? '' : `${found.ino}:${found.size}:${found.mtimeNs}`)).join(' ')
}
