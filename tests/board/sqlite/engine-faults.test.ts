import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openBoard } from '../../../src/board/index.ts'
import { readEngineVersion } from '../../../src/board/sqlite/database.ts'
import { engineFaults, findEngineFault, refuseBadEngine } from '../../../src/board/sqlite/engine-faults.ts'
import { createTestClock, createTestRandom } from '../open-test-board.ts'

test.each([
  ['3.7.0', true],
  ['3.44.5', true],
  ['3.44.6', false],
  ['3.44.9', false],
  ['3.45.0', true],
  ['3.50.6', true],
  ['3.50.7', false],
  ['3.51.2', true],
  ['3.51.3', false],
  ['3.51.10', false],
  ['3.52.0', true],
  ['3.53.2', false],
  ['4.0.0', false],
])('C94: SQLite %s is one that damages stores: %s', (version, refused) => {
  expect(findEngineFault(version) !== undefined).toBe(refused)
})

test('C94: the refusal names the version, its fault and what to do; the SQLite that we ship is not refused', () => {
  expect(() => refuseBadEngine('3.51.2')).toThrow(
    expect.objectContaining({
      code: 'BOARD_ENGINE_BAD',
      message: expect.stringContaining('SQLite 3.51.2, which can damage a store'),
      fix: expect.stringContaining('better-sqlite3'),
    }),
  )
  expect(readEngineVersion()).toMatch(/^3\.\d+\.\d+$/)
  expect(() => refuseBadEngine(readEngineVersion())).not.toThrow()
  expect(engineFaults.every(({ why }) => why.length > 0)).toBe(true)
})

test('C94: a store is not opened, and none is made, by an SQLite that is known to be bad', () => {
  const folder = mkdtempSync(join(tmpdir(), 'yard-engine-'))
  const known = engineFaults as unknown as (typeof engineFaults)[number][]
  onTestFinished(() => {
    known.splice(known.indexOf(oursIsBad), 1)
    rmSync(folder, { recursive: true })
  })
  // The one that is here stands in for a bad one: no other can be loaded beside it.
  const oursIsBad = { from: readEngineVersion(), before: '999.0.0', except: [], why: 'loses what it is given' }
  known.push(oursIsBad)
  const open = () => openBoard({ path: join(folder, 'yard.db'), clock: createTestClock(), random: createTestRandom() })
  expect(open).toThrow(expect.objectContaining({ code: 'BOARD_ENGINE_BAD' }))
  expect(readdirSync(folder)).toEqual([])
})
