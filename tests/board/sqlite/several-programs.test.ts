import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openBoard } from '../../../src/board/index.ts'
import { openHalfStateFinder } from '../find-half-states.ts'
import { addOne, createTestClock, createTestRandom, limits } from '../open-test-board.ts'
import { buildStoreUser, runTogether, startStoreUser } from '../store-process.ts'

beforeAll(buildStoreUser)

/** In memory where the system has a folder for that: thousands of commits, and what is asked is not whether they last. */
const inMemory = '/dev/shm'

function makePath(): string {
  const folder = mkdtempSync(join(existsSync(inMemory) ? inMemory : tmpdir(), 'yard-several-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'yard.db')
}

function openHere(path: string) {
  const board = openBoard({ path, clock: createTestClock(), random: createTestRandom() })
  board.applyLimits(limits())
  return board
}

describe('several programs on one store', () => {
  test('C94: 8 processes make 10,000 mixed reads and writes while checkpoints run: it is sound, and no card, remark or event is lost', async () => {
    const path = makePath()
    openHere(path).close()
    const writers = [1, 2, 3, 4].map((n) => startStoreUser('write', path, { name: `w${n}`, turns: 50, acts: 25 }))
    const readers = [1, 2, 3, 4].map(() => startStoreUser('read', path, { turns: 1_250 }))
    const answers = await runTogether(await Promise.all([...writers, ...readers]))
    const made = answers.slice(0, 4).flat() as { id: number; title: string; remarks: number }[]
    expect(answers.slice(4)).toEqual([1, 2, 3, 4].map(() => ({ wrong: 0 })))
    expect(made.reduce((sum, { remarks }) => sum + remarks + 1, 0)).toBe(5_000)

    const db = new Sqlite(path, { readonly: true })
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
    const kept = db
      .prepare(`select id, title, (select count(*) from comment where task = task.id) as remarks from task order by id`)
      .all()
    expect(kept).toEqual(made.sort((a, b) => a.id - b.id))
    // One event for the board, each card and each remark, in one sequence without a gap.
    expect(db.prepare('select count(*), max(seq) from event').raw().get()).toEqual([5_001, 5_001])
    db.close()
    using sound = openHalfStateFinder(path)
    expect(sound.findHalfStates()).toEqual([])
  })

  test('C128: two dispatchers on one store never run more than the cap in it, also when one of them knows of none', async () => {
    const path = makePath()
    const board = openHere(path)
    // More than either can claim alone, however long the system lets the other one wait.
    for (let i = 0; i < 100 * limits().slots + 100; i += 1) addOne(board)
    board.close()
    const careful = startStoreUser('claim', path, { turns: 100, max: 2 })
    const greedy = startStoreUser('claim', path, { turns: 100, max: 1_000_000 })
    const [one, other] = (await runTogether(await Promise.all([careful, greedy]))) as {
      most: number
      claimed: number
    }[]
    const db = new Sqlite(path, { readonly: true })
    onTestFinished(() => void db.close())
    const moves = db.prepare(`select kind from event where kind in ('run.claimed', 'run.exited') order by seq`).pluck()
    let running = 0
    let most = 0
    for (const kind of moves.all()) {
      running += kind === 'run.claimed' ? 1 : -1
      most = Math.max(most, running)
    }
    // The cap is reached by both together, never passed, and both had work.
    expect([most, running]).toEqual([limits().slots, 0])
    expect(Math.max(one?.most ?? 0, other?.most ?? 0)).toBe(limits().slots)
    expect(Math.min(one?.claimed ?? 0, other?.claimed ?? 0)).toBeGreaterThan(0)
    expect(db.prepare('select count(*) from run').pluck().get()).toBe((one?.claimed ?? 0) + (other?.claimed ?? 0))
    expect(db.prepare('select count(*) from run group by task order by 1 desc limit 1').pluck().get()).toBe(1)
  })
})

const canLimit = spawnSync('prlimit', ['--version']).status === 0

describe.skipIf(!canLimit)('an I/O error (needs prlimit)', () => {
  test('of the system is told by name with nothing half-written, and the next change goes on as if nothing had been', async () => {
    const path = makePath()
    openHere(path).close()
    const user = await startStoreUser('oneByOne', path)
    const add = async (title: string) => {
      user.tell(title)
      return await user.readLine()
    }
    user.tell('go')
    expect(await add('before')).toBe('made')
    // The system refuses to write any file further than this: what SQLite gets is EFBIG, which it tells as an I/O error.
    const limit = (bytes: string) => execFileSync('prlimit', ['--pid', String(user.process.pid), `--fsize=${bytes}:`])
    limit('20000')
    expect(await add('refused')).toBe('BOARD_NOT_WRITTEN')
    expect(await add('refused again')).toBe('BOARD_NOT_WRITTEN')
    limit('unlimited')
    expect(await add('after')).toBe('made')
    const board = openHere(path)
    expect(board.listTasks({}, { limit: 9 }).rows.map(({ title }) => title)).toEqual(['before', 'after'])
    board.close()
    using sound = openHalfStateFinder(path)
    expect(sound.findHalfStates()).toEqual([])
    expect(
      readdirSync(join(path, '..')).filter((name) => name.includes('damaged') || name.includes('suspect')),
    ).toEqual([])
  })
})
