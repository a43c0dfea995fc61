import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { openBoard } from '../../../src/board/index.ts'
import { checkQuickly, checkThoroughly } from '../../../src/board/sqlite/check-integrity.ts'
import { openDatabase } from '../../../src/board/sqlite/database.ts'
import { addOne, ann, createTestClock, createTestRandom, limits } from '../open-test-board.ts'

const random = createTestRandom()
const open = (path: string) => openBoard({ path, clock: createTestClock(), random })

/**
 * A store as `kill -9` leaves it: cards in it, and the last remark only in its log. Answers its path; the folder is removed
 * at the end.
 */
function killedStore(): { readonly path: string } & Disposable {
  const folder = mkdtempSync(join(tmpdir(), 'yard-damaged-'))
  const first = join(folder, 'first.db')
  const begun = open(first)
  begun.applyLimits(limits())
  for (let i = 0; i < 50; i += 1) addOne(begun, { spec: { title: `card ${i}`, run: 'true', dir: '/shop' } })
  begun.close()
  const killed = open(first)
  killed.comment(addOne(killed).id, 'only in the log', ann)
  const path = join(folder, 'yard.db')
  for (const end of ['', '-wal']) copyFileSync(`${first}${end}`, `${path}${end}`)
  killed.close()
  rmSync(first)
  return { path, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) }
}

/** Writes noise over a page of a table, as a bad disk would: over its rows, or also over what says how many they are. */
function damage(path: string, what: 'rows' | 'all of it' = 'rows'): void {
  const db = new Sqlite(path, { readonly: true })
  const leaf = `select pageno from dbstat where name = ? and pagetype = 'leaf' order by pageno limit 1`
  const page = Number(db.prepare(leaf).pluck().get('task_spec'))
  const size = Number(db.pragma('page_size', { simple: true }))
  db.close()
  const bytes = readFileSync(path)
  const begin = (page - 1) * size + (what === 'rows' ? 12 : 0)
  bytes.fill(0xa5, begin, begin + 64)
  writeFileSync(path, bytes)
}

const names = (path: string) => readdirSync(join(path, '..')).sort()

describe('a store that was not closed in good order', () => {
  test('opens as it was when it is sound, with what was only in its log', () => {
    using killed = killedStore()
    const board = open(killed.path)
    expect(board.counts()).toMatchObject({ ready: 51 })
    board.close()
    expect(names(killed.path)).toEqual(['yard.db'])
  })

  test('is set aside when it is damaged, with its log and not a byte changed; one error names it and the way back', () => {
    using killed = killedStore()
    damage(killed.path)
    const before = readFileSync(killed.path)
    const log = readFileSync(`${killed.path}-wal`)
    const aside = `${killed.path}.damaged-20261129T130000Z`
    expect(() => open(killed.path)).toThrow(
      expect.objectContaining({
        code: 'BOARD_SET_ASIDE',
        message: expect.stringMatching(/is damaged \(.+\)\. It was set aside as .+damaged-20261129T130000Z/),
        fix: expect.stringContaining('yardmaster restore FILE'),
      }),
    )
    expect(names(killed.path)).toEqual(['yard.db.damaged-20261129T130000Z', 'yard.db.damaged-20261129T130000Z-wal'])
    expect(readFileSync(aside).equals(before)).toBe(true)
    expect(readFileSync(`${aside}-wal`).equals(log)).toBe(true)
  })

  test('the next start does not begin with an empty board: it names the damaged store until a person has decided', () => {
    using killed = killedStore()
    damage(killed.path)
    expect(() => open(killed.path)).toThrow()
    const before = names(killed.path)
    for (let i = 0; i < 2; i += 1) {
      expect(() => open(killed.path)).toThrow(
        expect.objectContaining({
          code: 'BOARD_SET_ASIDE',
          message: expect.stringContaining('is missing: it was damaged'),
        }),
      )
    }
    expect(names(killed.path)).toEqual(before)

    // A backup in its place is taken, and so is an empty board once the damaged one is elsewhere.
    using backup = killedStore()
    copyFileSync(backup.path, killed.path)
    const restored = open(killed.path)
    expect(restored.counts()).toMatchObject({ ready: 50 })
    restored.close()
    rmSync(killed.path)
    for (const name of before) renameSync(join(killed.path, '..', name), join(backup.path, '..', name))
    const empty = open(killed.path)
    expect(empty.counts()).toMatchObject({ ready: 0 })
    empty.close()
  })

  test('two damaged stores of one second are both kept', () => {
    using killed = killedStore()
    using another = killedStore()
    damage(killed.path)
    damage(another.path)
    expect(() => open(killed.path)).toThrow()
    for (const end of ['', '-wal']) copyFileSync(`${another.path}${end}`, `${killed.path}${end}`)
    expect(() => open(killed.path)).toThrow(expect.objectContaining({ message: expect.stringContaining('Z-2') }))
    expect(names(killed.path)).toHaveLength(4)
  })
})

describe('a store that was closed in good order', () => {
  test('is not looked through at its start; damage that is met while it is in use has the next start do it', () => {
    using killed = killedStore()
    open(killed.path).close()
    damage(killed.path, 'all of it')
    const board = open(killed.path)
    const readAll = () => board.listTasks({}, { limit: 100 }).rows.map(({ id }) => board.readSpec(id))
    expect(readAll).toThrow(expect.objectContaining({ code: 'BOARD_DAMAGED' }))
    board.close()
    expect(names(killed.path)).toEqual(['yard.db', 'yard.db.suspect'])
    expect(() => open(killed.path)).toThrow(expect.objectContaining({ code: 'BOARD_SET_ASIDE' }))
    expect(existsSync(`${killed.path}.suspect`)).toBe(false)
  })
})

describe('looking through a store', () => {
  test('finds a damaged table in time: the small ones first, and no more rows than a start may take', () => {
    using killed = killedStore()
    damage(killed.path)
    const db = openDatabase({ random }, killed.path)
    expect(checkQuickly(db, { rows: 40 })).toBeUndefined()
    expect(checkQuickly(db)).toMatch(/page|btree|tree/i)
    db.close()
  })

  test('thoroughly also finds an index that does not fit its table; a row that breaks a rule is no damage', () => {
    using killed = killedStore()
    const raw = new Sqlite(killed.path)
    raw.pragma('ignore_check_constraints = on')
    raw.exec(`update task set failures = -1 where id = 1`)
    const index = raw.prepare(`select rootpage from sqlite_schema where name = 'task_by_lane'`).pluck().get()
    const other = raw.prepare(`select rootpage from sqlite_schema where name = 'task_by_board'`).pluck().get()
    raw.unsafeMode()
    raw.pragma('writable_schema = on')
    raw.exec(`update sqlite_schema set rootpage = ${other} where name = 'task_by_lane'`)
    raw.exec(`update sqlite_schema set rootpage = ${index} where name = 'task_by_board'`)
    raw.close()
    const db = openDatabase({ random }, killed.path)
    expect(checkQuickly(db)).toBeUndefined()
    expect(checkThoroughly(db)).toBeDefined()
    db.close()
  })
})
