import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { openBoard } from '../../../src/board/index.ts'
import { type Database, openDatabase } from '../../../src/board/sqlite/database.ts'
import { migrate } from '../../../src/board/sqlite/migrate.ts'
import { type Migration, migrations } from '../../../src/board/sqlite/migrations/list.ts'
import { addOne, createTestClock, createTestRandom, limits, openOnDisk } from '../open-test-board.ts'

const folder = 'src/board/sqlite/migrations'
const random = createTestRandom()

function withFolder(work: (path: string) => void): void {
  const home = mkdtempSync(join(tmpdir(), 'yard-migrate-'))
  try {
    work(join(home, 'yard.db'))
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}
const open = (path: string) => openBoard({ path, clock: createTestClock(), random })
const step = (number: number, sql: string): Migration => ({
  number,
  name: `000${number}-x`,
  sql,
  sha256: `sum ${number}`,
})

function migrateTo(path: string, list: readonly Migration[]): void {
  const db = openDatabase({ random }, path)
  try {
    migrate(db, { path, migrations: list, nowMs: 5 })
  } finally {
    db.close()
  }
}

describe('migrations', () => {
  test('are sealed: a released file never changes (changed? write the next number instead)', () => {
    const files = readdirSync(folder).filter((file) => file.endsWith('.sql'))
    expect(migrations.map(({ name }) => `${name}.sql`)).toEqual(files.sort())
    for (const { name, number, sha256, sql } of migrations) {
      const text = readFileSync(join(folder, `${name}.sql`))
      expect([name, createHash('sha256').update(text).digest('hex')]).toEqual([name, sha256])
      expect(sql).toBe(text.toString())
      expect(name.startsWith(String(number).padStart(4, '0'))).toBe(true)
    }
    expect(migrations.map(({ number }) => number)).toEqual(migrations.map((_, index) => index + 1))
  })

  test('are noted in the file with their checksum', () => {
    using yard = openOnDisk()
    const db = new Sqlite(yard.path, { readonly: true })
    const noted = db.prepare('select number, name, sha256 from migration').all()
    expect(noted).toEqual(migrations.map(({ number, name, sha256 }) => ({ number, name, sha256 })))
    db.close()
  })

  test('bring an older file up to date in one step, with a copy of it beside', () => {
    withFolder((path) => {
      const next = step(migrations.length + 1, "create table later (x text) strict; insert into later values ('new')")
      const board = open(path)
      board.applyLimits(limits())
      const { id } = addOne(board)
      board.close()
      migrateTo(path, [...migrations, next])
      const backup = `${path}.before-${next.number}`
      expect(readdirSync(join(path, '..')).filter((file) => file.includes('unfinished'))).toEqual([])
      const old = open(backup)
      expect(old.readTask(id)?.id).toBe(id)
      old.close()
      expect(() => open(path)).toThrow(expect.objectContaining({ code: 'BOARD_TOO_NEW' }))
    })
  })

  test('or leave it as it was: a step that fails undoes those before it', () => {
    withFolder((path) => {
      open(path).close()
      const table = 'create table later (x text) strict'
      const twice = [step(migrations.length + 1, table), step(migrations.length + 2, table)]
      expect(() => migrateTo(path, [...migrations, ...twice])).toThrow('already exists')
      const board = open(path)
      expect(board.counts()).toMatchObject({ ready: 0 })
      board.close()
    })
  })

  test('run once, however many programs open the file', () => {
    withFolder((path) => {
      open(path).close()
      const bytes = readFileSync(path)
      open(path).close()
      expect(readFileSync(path).equals(bytes)).toBe(true)
    })
  })

  test('a new file that two programs open at one moment is no stranger to the slower one', () => {
    withFolder((path) => {
      const slow = openDatabase({ random }, path)
      const fast = openDatabase({ random }, path, { lockedForMs: 0 })
      let isTold = ''
      const overtaken: Database = {
        ...slow,
        one: (sql) => {
          const ask = slow.one(sql)
          if (!sql.includes('sqlite_schema')) return ask as never
          // Between what it has seen of the file and what it does with that.
          try {
            migrate(fast, { path, migrations, nowMs: 5 })
          } catch (fault) {
            isTold = (fault as { code: string }).code
          }
          return ask as never
        },
      }
      migrate(overtaken, { path, migrations, nowMs: 5 })
      expect(isTold).toBe('BOARD_LOCKED')
      fast.close()
      slow.close()
      open(path).close()
    })
  })
})

describe('a file that is not for this program', () => {
  test('of a newer version is refused with both numbers, and not a byte of it or beside it changes', () => {
    withFolder((path) => {
      open(path).close()
      const db = new Sqlite(path)
      db.pragma('user_version = 7')
      db.close()
      const before = readFileSync(path)
      expect(() => open(path)).toThrow(
        expect.objectContaining({
          code: 'BOARD_TOO_NEW',
          message: expect.stringContaining(`is of version 7; this program knows versions up to ${migrations.length}`),
        }),
      )
      expect(readFileSync(path).equals(before)).toBe(true)
      expect(readdirSync(join(path, '..'))).toEqual(['yard.db'])
    })
  })

  test('of another kind is refused and left alone', () => {
    withFolder((path) => {
      writeFileSync(
        path,
        'just a text, but long enough to be more than the hundred bytes that a header has. '.repeat(3),
      )
      expect(() => open(path)).toThrow(expect.objectContaining({ code: 'BOARD_NOT_A_BOARD' }))
      writeFileSync(path, 'short')
      expect(() => open(path)).toThrow(expect.objectContaining({ code: 'BOARD_NOT_A_BOARD' }))
      expect(readFileSync(path, 'utf8')).toBe('short')
      rmSync(path)
      mkdirSync(path)
      expect(() => open(path)).toThrow(expect.objectContaining({ code: 'BOARD_NOT_A_BOARD' }))
      rmdirSync(path)
      const stranger = new Sqlite(path)
      stranger.exec('create table notes (text text)')
      stranger.close()
      const before = readFileSync(path)
      expect(() => open(path)).toThrow(expect.objectContaining({ code: 'BOARD_NOT_A_BOARD' }))
      expect(readFileSync(path).equals(before)).toBe(true)
      expect(readdirSync(join(path, '..'))).toEqual(['yard.db'])
    })
  })

  test('of another kind, with all it has still in its log, is refused too', () => {
    withFolder((path) => {
      const stranger = new Sqlite(path)
      stranger.pragma('journal_mode = WAL')
      stranger.exec('create table notes (text text)')
      expect(() => open(path)).toThrow(expect.objectContaining({ code: 'BOARD_NOT_A_BOARD' }))
      expect(stranger.prepare('select count(*) from sqlite_schema').pluck().get()).toBe(1)
      stranger.close()
    })
  })

  test('in a folder that is not there is refused by name', () => {
    withFolder((path) => {
      const nowhere = join(path, 'nowhere', 'yard.db')
      expect(() => open(nowhere)).toThrow(expect.objectContaining({ code: 'BOARD_NOT_OPENED' }))
      expect(existsSync(join(path))).toBe(false)
    })
  })
})
