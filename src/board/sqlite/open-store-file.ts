import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Clock, Random, YardError } from '../../kernel/index.ts'
import { boardError } from '../errors.ts'
import { checkQuickly } from './check-integrity.ts'
import { type Database, openDatabase, readEngineVersion } from './database.ts'
import { refuseBadEngine } from './engine-faults.ts'
import { finishExchange } from './exchange-store.ts'
import { refuseNetwork } from './file-system.ts'
import { migrate, refuseForeignFile } from './migrate.ts'
import { migrations } from './migrations/list.ts'
import { clearSuspect, findNewestBackup, findSetAside, finishSetAside, isSuspect, setAside } from './set-aside.ts'
import { isDamage } from './store-fault.ts'

/**
 * Opens the file of a board in the newest version, or refuses it by name with nothing changed. One that was not closed in
 * good order is looked through first. A damaged one is set aside, and a home whose store was set aside is not given an
 * empty one in its place before a person has said so. `:memory:` is a board that ends with the process.
 */
export function openStoreFile(
  { clock, random }: { readonly clock: Clock; readonly random: Random },
  path: string,
): Database {
  const inMemory = path === ':memory:'
  refuseBadEngine(readEngineVersion())
  if (!inMemory) {
    refuseNetwork(dirname(path))
    finishSetAside(path)
    finishExchange(path)
    refuseLostStore(path)
    refuseForeignFile(path, migrations.at(-1)?.number ?? 0)
  }
  const suspect = !inMemory && isSuspect(path)
  let db: Database | undefined
  try {
    db = openDatabase({ random }, path)
    const found = suspect ? checkQuickly(db) : undefined
    if (found !== undefined) throw boardError('BOARD_DAMAGED', { path, code: found })
    migrate(db, { path, migrations, nowMs: clock.nowMs() })
    if (suspect) clearSuspect(path)
    return db
  } catch (fault) {
    // Set aside before it is closed: see there.
    const told = inMemory ? fault : setAsideDamaged(fault, path, clock.nowMs())
    db?.close()
    throw told
  }
}

function refuseLostStore(path: string): void {
  if (existsSync(path)) return
  const aside = findSetAside(path)
  if (aside !== undefined)
    throw boardError('BOARD_SET_ASIDE', { path, aside, found: null, backup: findNewestBackup(path) })
}

/** Only what SQLite calls damage: a locked, unreadable or foreign file stays where it is. */
function setAsideDamaged(fault: unknown, path: string, nowMs: number): unknown {
  if (!isDamage(fault)) return fault
  const aside = setAside(path, nowMs)
  const found = String((fault as YardError).values.code)
  return boardError('BOARD_SET_ASIDE', { path, aside, found, backup: findNewestBackup(path) }, fault)
}
