import { YardError } from '../../kernel/index.ts'
import { boardError } from '../errors.ts'

/**
 * The catalogue's error for what SQLite says about the file or the disk. Anything else (a violated constraint, a
 * wrong statement) is a surprise of ours and is given back as it is.
 */
export function storeFault(cause: unknown, path: string): unknown {
  const code = sqliteCode(cause)
  if (code === undefined) return cause
  if (code === 'SQLITE_FULL' || code === 'SQLITE_IOERR_SHMSIZE') return boardError('BOARD_DISK_FULL', { path }, cause)
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return boardError('BOARD_LOCKED', { path }, cause)
  }
  if (code.startsWith('SQLITE_CORRUPT')) return boardError('BOARD_DAMAGED', { path, code }, cause)
  if (code === 'SQLITE_NOTADB') return boardError('BOARD_NOT_A_BOARD', { path }, cause)
  if (code.startsWith('SQLITE_IOERR') || code.startsWith('SQLITE_READONLY') || code.startsWith('SQLITE_CANTOPEN')) {
    return boardError('BOARD_NOT_WRITTEN', { path, code }, cause)
  }
  return cause
}

/** The file itself is broken, as SQLite sees it. */
export const isDamage = (fault: unknown): boolean => fault instanceof YardError && fault.code === 'BOARD_DAMAGED'

function sqliteCode(cause: unknown): string | undefined {
  if (!(cause instanceof Error) || !('code' in cause)) return undefined
  return typeof cause.code === 'string' && cause.code.startsWith('SQLITE_') ? cause.code : undefined
}
