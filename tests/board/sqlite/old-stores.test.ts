import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openBoard } from '../../../src/board/index.ts'
import { migrations } from '../../../src/board/sqlite/migrations/list.ts'
import { openHalfStateFinder } from '../find-half-states.ts'
import { createTestClock, createTestRandom } from '../open-test-board.ts'
import { buildStoreUser, runTogether, startStoreUser } from '../store-process.ts'
import { oldStores } from './old-stores.ts'

beforeAll(buildStoreUser, 30_000)

const newest = migrations.length

test('C98: every version of a store that was released before this one has a builder', () => {
  expect(Object.keys(oldStores).map(Number)).toEqual(migrations.slice(0, -1).map(({ number }) => number))
})

describe.each(Object.entries(oldStores))('a store of version %s', (version, { build }) => {
  function makeOld(): string {
    const folder = mkdtempSync(join(tmpdir(), 'yard-old-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'yard.db')
    build(path)
    return path
  }

  test('C98: that two programs open at one moment is brought up to date once, keeps all it held, and a copy of just before lies beside', async () => {
    const path = makeOld()
    const before = readAll(path)
    const users = await Promise.all([startStoreUser('open', path), startStoreUser('open', path)])
    const [one, other] = await runTogether(users)
    expect(one).toEqual(other)
    expect(one).toMatchObject({ counts: { ready: 2, running: 1, done: 1, failed: 1 }, lastSeq: before.event?.length })

    const db = new Sqlite(path, { readonly: true })
    expect(db.pragma('user_version', { simple: true })).toBe(newest)
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
    expect(db.pragma('foreign_key_check')).toEqual([])
    expect(db.prepare('select number from migration').pluck().all()).toEqual(migrations.map(({ number }) => number))
    db.close()
    expectKept(readAll(path), before)
    using sound = openHalfStateFinder(path)
    expect(sound.findHalfStates()).toEqual([])

    const copy = `${path}.before-${Number(version) + 1}`
    const beside = readdirSync(dirname(path)).filter((name) => !/-(?:wal|shm)$/.test(name))
    expect(beside.sort()).toEqual(['yard.db', basename(copy)])
    expect(readAll(copy)).toEqual(before)
  })

  test('C98: opened again it stays as it is, byte for byte', () => {
    const path = makeOld()
    const open = () => openBoard({ path, clock: createTestClock(), random: createTestRandom() }).close()
    open()
    const bytes = readFileSync(path)
    open()
    expect(readFileSync(path).equals(bytes)).toBe(true)
  })
})

type Tables = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>

function readAll(path: string): Tables {
  const db = new Sqlite(path, { readonly: true })
  const names = db
    .prepare(`select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'`)
    .pluck()
    .all()
  const tables = names.map((name) => [name, db.prepare(`select * from "${name}"`).all()])
  db.close()
  return Object.fromEntries(tables)
}

/** Columns that are never empty, as what was there before them was always meant. */
const alwaysMeant: Readonly<Record<string, unknown>> = {
  'run.stage': 'work',
  'run.claimed_from': 'ready',
  // What it says follows from the status of the card.
  'task.claimable': 1,
}

/** Every row of before is there with all its columns; what came since is empty, or says what was always meant. `migration` grows, and says so. */
function expectKept(now: Tables, before: Tables): void {
  for (const [table, rows] of Object.entries(before)) {
    if (table === 'migration') continue
    expect([table, now[table]]).toMatchObject([table, rows])
    const columns = new Set(Object.keys(rows[0] ?? {}))
    const since = (now[table] ?? []).flatMap((row) => Object.entries(row).filter(([column]) => !columns.has(column)))
    if (rows.length > 0)
      expect(
        since.filter(([column, value]) => value !== null && value !== 0 && value !== alwaysMeant[`${table}.${column}`]),
      ).toEqual([])
  }
}
