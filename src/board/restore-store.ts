import { chmodSync, constants, copyFileSync, existsSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type Clock, type Random, type RunId, sayMoment, saySystemFault, type TaskId } from '../kernel/index.ts'
import type { Actor } from './board.ts'
import { copyError } from './copy-errors.ts'
import { boardError } from './errors.ts'
import { openBoard } from './open-board.ts'
import { asOfBackup, refuseDamaged, refuseNoBackup } from './refuse-bad-backup.ts'
import { openDatabase } from './sqlite/database.ts'
import { exchangeStore, finishExchange } from './sqlite/exchange-store.ts'

export interface RestoreInput {
  /** The copy: one that `backup` made, or the `yard.db` of a home that nobody worked. */
  readonly file: string
  /** The store that it takes the place of, or that is missing. */
  readonly path: string
  /** The highest numbers that the home has folders of: those after the copy was made are not given a second time. */
  readonly newest: { readonly run: number; readonly task: number }
}

export interface Restored {
  /** The last thing that the copy knows of. */
  readonly copiedAtMs: number
  readonly tasks: number
  /** Attempts that were open in it. The next hub looks for their processes before it starts anything. */
  readonly open: readonly { readonly run: RunId; readonly task: TaskId }[]
  /** The newest attempt that the copy knows of; 0: none. */
  readonly lastRun: number
  /** Where the store that was there before is kept; null where there was none. */
  readonly kept: string | null
}

/**
 * Puts a copy in the place of the store: checked from end to end and brought up to date beside it first, then exchanged,
 * with the old one kept beside: at no moment, cut off or not, is there none or half of one. Everything is paused in it, since what was done after the copy would be done again. The
 * caller holds the lock of the home. What is refused (missing, foreign, newer, damaged) has changed nothing.
 */
export function restoreStore(
  { clock, random }: { readonly clock: Clock; readonly random: Random },
  { file, path, newest }: RestoreInput,
  actor: Actor,
): Restored {
  refuseNoBackup(file)
  if (existsSync(path) && realpathSync(file) === realpathSync(path)) throw copyError('BOARD_BACKUP_IS_STORE', { file })
  finishExchange(path)
  const staged = `${path}.restoring`
  removeBeside(staged)
  try {
    copyBeside(file, staged)
    refuseDamaged({ random }, { file, copy: staged })
    const facts = asOfBackup(file, () => prepare({ clock, random }, { file, staged, newest }, actor))
    closeOld({ random }, path)
    return { ...facts, kept: exchangeStore({ staged, path, nowMs: clock.nowMs() }) }
  } finally {
    removeBeside(staged)
  }
}

/** With its log, where it is the store of a home that was cut off. */
function copyBeside(file: string, staged: string): void {
  for (const end of existsSync(`${file}-wal`) ? ['', '-wal'] : ['']) {
    try {
      copyFileSync(`${file}${end}`, `${staged}${end}`, constants.COPYFILE_EXCL)
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException
      if (code === 'ENOSPC' || code === 'EDQUOT') throw boardError('BOARD_DISK_FULL', { path: staged }, cause)
      throw copyError('BOARD_BACKUP_NOT_READ', { file: `${file}${end}`, why: saySystemFault(cause) }, cause)
    }
    chmodSync(`${staged}${end}`, 0o600)
  }
}

function prepare(
  deps: { readonly clock: Clock; readonly random: Random },
  { file, staged, newest }: { file: string; staged: string; newest: RestoreInput['newest'] },
  actor: Actor,
): Omit<Restored, 'kept'> {
  const board = openBoard({ path: staged, ...deps })
  try {
    const [last] = board.eventsAfter(board.lastSeq() - 1, 1)
    const copiedAtMs = last?.atMs ?? 0
    const open = board.openRuns().map(({ id, task }) => ({ run: id, task }))
    const lastRun = board.markRestored({ newest, text: `from ${file}, of ${sayMoment(copiedAtMs)}` }, actor)
    const tasks = Object.values(board.counts()).reduce((sum, n) => sum + n, 0)
    return { copiedAtMs, tasks, open, lastRun }
  } finally {
    board.close() // which brings its log into it
  }
}

/** A sound one takes its log in. A damaged one is kept as it is, its log beside. */
function closeOld(deps: { readonly random: Random }, path: string): void {
  if (!existsSync(path)) return
  try {
    openDatabase(deps, path).close()
  } catch {
    // It is what is being replaced: nothing depends on it.
  }
}

function removeBeside(staged: string): void {
  for (const name of readdirSync(dirname(staged))) {
    if (name.startsWith(basename(staged))) rmSync(join(dirname(staged), name), { force: true })
  }
}
