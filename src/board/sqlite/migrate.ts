import { closeSync, fstatSync, openSync, readSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncToDisk } from '../../kernel/index.ts'
import { boardError } from '../errors.ts'
import type { Database } from './database.ts'
import type { Migration } from './migrations/list.ts'
import recordMigrationSql from './statements/record-migration.sql'

/** "YARD" in the file's header: tells our files from other SQLite files. */
const applicationId = 0x59415244

/** Bytes of an SQLite header: here matter the magic, the schema cookie at 40, the version at 60, the application id at 68. */
const headerBytes = 100

/**
 * Refuses a file that is not ours or of a newer program, by reading its header only: nothing is opened as a database,
 * no side file is made. A missing or empty file passes.
 */
export function refuseForeignFile(path: string, known: number): void {
  const header = readHeader(path)
  if (header === undefined) return
  if (header.toString('latin1', 0, 16) !== 'SQLite format 3\0') throw boardError('BOARD_NOT_A_BOARD', { path })
  const file = header.readInt32BE(60)
  if (header.readInt32BE(68) !== applicationId) {
    // A new file of ours that was cut off before its first migration has no version and no id, and never had a table.
    const isNew = file === 0 && header.readInt32BE(68) === 0 && header.readInt32BE(40) === 0
    if (!isNew) throw boardError('BOARD_NOT_A_BOARD', { path })
    return
  }
  if (file > known) throw boardError('BOARD_TOO_NEW', { path, file, known })
}

function readHeader(path: string): Buffer | undefined {
  let descriptor: number
  try {
    descriptor = openSync(path, 'r')
  } catch {
    return undefined // missing or unreadable: opening it as a database says which
  }
  try {
    const header = Buffer.alloc(headerBytes)
    if (fstatSync(descriptor).isDirectory()) throw boardError('BOARD_NOT_A_BOARD', { path })
    const bytes = readSync(descriptor, header, 0, headerBytes, 0)
    if (bytes === 0) return undefined
    if (bytes < headerBytes) throw boardError('BOARD_NOT_A_BOARD', { path })
    return header
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Brings the file to the newest version: all missing migrations in one transaction, in order, each recorded with its
 * checksum. A file that had a version before is first copied beside itself (`PATH.before-N`), complete or not at all, under
 * the lock of the migration: whoever comes second finds it done, and the copy is of just before.
 */
export function migrate(
  db: Database,
  {
    path,
    migrations,
    nowMs,
  }: { readonly path: string; readonly migrations: readonly Migration[]; readonly nowMs: number },
): void {
  const known = migrations.at(-1)?.number ?? 0
  const recordMigration = db.insert<{ number: number; name: string; sha256: string; atMs: number }>(recordMigrationSql)
  const version = (): number => readVersion(db)

  // The header may be older than the write-ahead log, so the version is asked again here.
  if (version() > known) throw boardError('BOARD_TOO_NEW', { path, file: version(), known })
  if (version() === known) return
  db.write('full', () => {
    // Asked again under the lock: another program may have been faster.
    const from = version()
    if (from === known) return
    if (from === 0) refuseStrangersTables(db, path)
    if (from > 0) backUp(db, path, from)
    for (const { number, name, sql, sha256 } of migrations) {
      if (number <= from) continue
      db.script(sql)
      recordMigration({ number, name, sha256, atMs: nowMs })
    }
    db.script(`pragma application_id = ${applicationId}; pragma user_version = ${known};`)
  })
  // Into the header, where an older program looks first.
  db.script('pragma wal_checkpoint(truncate)')
}

/** The same of a store that is open: by its connection, so that the file is not opened and closed beside it. */
export function refuseForeignStore(db: Database, path: string, known: number): void {
  const version = readVersion(db)
  const id = db.one<Record<string, never>, { application_id: number }>('pragma application_id')({})?.application_id
  if (id !== applicationId) throw boardError('BOARD_NOT_A_BOARD', { path })
  if (version > known) throw boardError('BOARD_TOO_NEW', { path, file: version, known })
}

/** The number of the last migration that the file has been through; 0 before the first. */
export function readVersion(db: Database): number {
  return db.one<Record<string, never>, { user_version: number }>('pragma user_version')({})?.user_version ?? 0
}

function refuseStrangersTables(db: Database, path: string): void {
  const count = db.one<Record<string, never>, { n: number }>('select count(*) as n from sqlite_schema')({})?.n ?? 0
  if (count > 0) throw boardError('BOARD_NOT_A_BOARD', { path })
}

function backUp(db: Database, path: string, version: number): void {
  if (path === ':memory:') return
  const unfinished = `${path}.before-${version + 1}.unfinished`
  rmSync(unfinished, { force: true })
  db.copy(unfinished)
  renameSync(unfinished, `${path}.before-${version + 1}`)
  syncToDisk(dirname(path))
}
