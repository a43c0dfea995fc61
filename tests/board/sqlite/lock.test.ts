import Sqlite from 'better-sqlite3'
import { expect, test } from 'vitest'
import { openDatabase } from '../../../src/board/sqlite/database.ts'
import type { Random } from '../../../src/kernel/index.ts'
import { openOnDisk } from '../open-test-board.ts'

test('a write waits for another program that is at it, in short random steps, and then names the lock', () => {
  using yard = openOnDisk()
  const other = new Sqlite(yard.path)
  let tries = 0
  const random: Random = {
    // The other program is done when we have looked 20 times.
    fraction: () => {
      tries += 1
      if (tries === 20) other.exec('rollback')
      return 0
    },
    hex: (bytes) => '0'.repeat(bytes * 2),
  }
  const db = openDatabase({ random }, yard.path)
  other.exec('begin immediate')
  expect(db.write('normal', () => 'written')).toBe('written')
  expect(tries).toBe(20)

  other.exec('begin immediate')
  const impatient = openDatabase({ random: yard.board.random }, yard.path, { lockedForMs: 20 })
  expect(() => impatient.write('full', () => 'never')).toThrow(expect.objectContaining({ code: 'BOARD_LOCKED' }))
  other.exec('rollback')
  for (const one of [db, impatient, other]) one.close()
})

test('a write inside a write is a fault of ours and undoes nothing of the outer one', () => {
  using yard = openOnDisk()
  const db = openDatabase({ random: yard.board.random }, yard.path)
  const outer = db.write('normal', () => {
    expect(() => db.write('normal', () => 'inner')).toThrow('inside another one')
    return 'outer'
  })
  expect(outer).toBe('outer')
  db.close()
})
