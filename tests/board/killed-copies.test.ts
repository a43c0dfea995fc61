import { once } from 'node:events'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { openBoard } from '../../src/board/index.ts'
import { type CrashPoint, systemRandom as random } from '../../src/kernel/index.ts'
import { openHalfStateFinder } from './find-half-states.ts'
import { add, addOne, ann, openOnDisk, type TestBoard } from './open-test-board.ts'
import { buildStoreUser, startStoreUser } from './store-process.ts'

beforeAll(buildStoreUser)

async function dieAt(role: 'backup' | 'restore', { path }: TestBoard, file: string, crashAt: CrashPoint) {
  const user = await startStoreUser(role, path, { file, crashAt })
  const ended = once(user.process, 'exit')
  user.tell('go')
  expect((await ended)[1]).toBe('SIGKILL')
}

function expectTasks(yard: TestBoard, path: string, tasks: number): void {
  const board = openBoard({ path, clock: yard.clock, random })
  expect(Object.values(board.counts()).reduce((sum, n) => sum + n, 0)).toBe(tasks)
  board.close()
  using finder = openHalfStateFinder(path)
  expect(finder.findHalfStates()).toEqual([])
}

const besides = ({ path }: TestBoard, what: string): readonly string[] =>
  readdirSync(dirname(path)).filter((name) => name.startsWith(basename(path)) && name.includes(what))

describe('a restore that is killed', () => {
  test.each([
    ['restore.prepared', 'old'],
    ['restore.decided', 'new'],
    ['restore.log_kept', 'new'],
    ['restore.store_kept', 'new'],
    ['restore.done', 'new'],
  ] as const)('C104: at %s leaves the %s store whole, although the old one has a log', async (point, whose) => {
    using yard = openOnDisk()
    add(yard.board, [{}, {}, {}])
    const file = join(dirname(yard.path), 'copy.db')
    await yard.board.backup(file, ann)
    yard.board.close()
    const holder = await startStoreUser('hold', yard.path)
    holder.tell('go')
    expect(await holder.readLine()).toBe('holds')
    const more = openBoard({ path: yard.path, clock: yard.clock, random })
    add(more, [{}, {}])
    more.close()
    expect(statSync(`${yard.path}-wal`).size).toBeGreaterThan(0)

    await dieAt('restore', yard, file, point)
    holder.process.kill('SIGKILL')
    await once(holder.process, 'exit')

    expectTasks(yard, yard.path, whose === 'old' ? 5 : 3)
    const kept = besides(yard, '.replaced-').filter((name) => !/-(wal|shm)$/.test(name))
    expect(kept).toHaveLength(whose === 'old' ? 0 : 1)
    for (const name of kept) expectTasks(yard, join(dirname(yard.path), name), 5)
    expect(besides(yard, '.restored-')).toEqual([])
  })
})

describe('a backup that is killed', () => {
  test.each([
    ['backup.written', false],
    ['backup.placed', true],
  ] as const)('at %s is complete or not there, and the store goes on', async (point, isThere) => {
    using yard = openOnDisk()
    add(yard.board, [{}, {}, {}])
    yard.board.close()
    const file = join(dirname(yard.path), 'copy.db')
    await dieAt('backup', yard, file, point)
    expect(existsSync(file)).toBe(isThere)
    if (isThere) expectTasks(yard, file, 3)
    const board = openBoard({ path: yard.path, clock: yard.clock, random })
    addOne(board)
    board.close()
    expectTasks(yard, yard.path, 4)
  })
})
