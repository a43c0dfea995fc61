import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { checkStore, openBoard } from '../../src/board/index.ts'
import { migrations } from '../../src/board/sqlite/migrations/list.ts'
import { addOne, openOnDisk } from './open-test-board.ts'
import { oldStores } from './sqlite/old-stores.ts'

const named = (path: string, name: string) => checkStore(path).filter((finding) => finding.name === name)

describe('looking at a store', () => {
  test('says its version and size while somebody works with it, and leaves everything as it was', () => {
    using yard = openOnDisk()
    addOne(yard.board)
    const before = readdirSync(dirname(yard.path))
    expect(checkStore(yard.path)).toEqual([
      { name: 'store', state: 'ok', says: expect.stringMatching(/yard\.db, version \d+, .+iB, sound$/), fix: null },
      { name: 'store log', state: 'ok', says: expect.stringMatching(/iB$/), fix: null },
      { name: 'SQLite', state: 'ok', says: expect.stringMatching(/^3\./), fix: null },
    ])
    expect(readdirSync(dirname(yard.path))).toEqual(before)
    expect(addOne(yard.board).id).toBe(2)
    yard.board.close()
    const bytes = readFileSync(yard.path)
    expect(named(yard.path, 'store')).toMatchObject([{ state: 'ok' }])
    expect(readFileSync(yard.path).equals(bytes)).toBe(true)
    expect(readdirSync(dirname(yard.path))).toEqual(['yard.db'])
  })

  test('finds damage that a start does not look for, and says how to mend it', () => {
    using yard = openOnDisk()
    yard.board.close()
    const db = new Sqlite(yard.path)
    const of = (name: string) => db.prepare('select rootpage from sqlite_schema where name = ?').pluck().get(name)
    const [one, other] = [of('event_task'), of('event_batch')]
    db.exec(`insert into board (name, created_at_ms) values ('shop', 1);
      insert into event (at_ms, kind, task, by, text, data) values (1, 'task.done', 7, 'ann', 'T7 done', '{}')`)
    db.unsafeMode()
    db.pragma('writable_schema = on')
    db.exec(`update sqlite_schema set rootpage = ${one} where name = 'event_batch'`)
    db.exec(`update sqlite_schema set rootpage = ${other} where name = 'event_task'`)
    db.close()
    expect(named(yard.path, 'store')).toEqual([
      {
        name: 'store',
        state: 'bad',
        says: expect.stringMatching(/is damaged: .*index/),
        fix: expect.stringContaining('yardmaster restore FILE'),
      },
    ])
  })

  test('tells one of an older program, of a newer one, of nobody, and none', () => {
    using yard = openOnDisk()
    const path = `${yard.path}.other`
    expect(named(path, 'store')).toEqual([{ name: 'store', state: 'ok', says: 'none yet', fix: null }])
    oldStores[1]?.build(path)
    expect(named(path, 'store')).toMatchObject([
      { state: 'warn', says: expect.stringContaining('version 1'), fix: expect.stringContaining('copy of it beside') },
    ])
    const db = new Sqlite(path)
    db.pragma('user_version = 99')
    db.close()
    expect(named(path, 'store')).toMatchObject([{ state: 'bad', says: expect.stringContaining('is of version 99') }])
    writeFileSync(path, 'just a text. '.repeat(100))
    expect(named(path, 'store')).toMatchObject([{ state: 'bad', says: `${path} is not a board of yardmaster` }])
  })

  test('names the copies that lie beside, and what is kept of a store that is missing', () => {
    using yard = openOnDisk()
    rmSync(yard.path)
    for (const end of ['-wal', '-shm']) rmSync(`${yard.path}${end}`)
    oldStores[1]?.build(yard.path)
    openBoard({ path: yard.path, clock: yard.clock, random: yard.board.random }).close()
    const damaged = `${yard.path}.damaged-20261129T130000Z`
    copyFileSync(yard.path, damaged)
    expect(named(yard.path, 'store copies')).toMatchObject([
      { state: 'ok', says: expect.stringMatching(/yard\.db\.before-2 \(.+iB\)/) },
      { state: 'warn', says: expect.stringContaining('yard.db.damaged-20261129T130000Z'), fix: expect.any(String) },
    ])
    rmSync(yard.path)
    expect(named(yard.path, 'store')).toMatchObject([
      {
        state: 'bad',
        says: `${yard.path} is missing; what it held is kept as ${damaged}`,
        fix: 'yardmaster restore FILE',
      },
    ])
    expect(migrations.length).toBeGreaterThan(1)
  })
})
