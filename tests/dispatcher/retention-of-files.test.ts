import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Board, openBoard } from '../../src/board/index.ts'
import { createKeeper } from '../../src/dispatcher/index.ts'
import { planFile } from '../../src/dispatcher/retention/plan-retention.ts'
import type { KeepConfig } from '../../src/kernel/config/index.ts'
import { type Clock, systemClock, systemRandom, type TaskId } from '../../src/kernel/index.ts'
import { storeStream } from '../../src/runs/index.ts'
import { buildHub, startHub } from './hub-process.ts'
import { startYard } from './start-yard.ts'

const day = 86_400_000
const hour = 3_600_000
const usual: KeepConfig = { doneMs: 3 * day, failedMs: 30 * day }
const actor = { by: 'ana' }

describe('how long a file of a card is kept', () => {
  test.each([
    ['its card stands on the board', { taskStatus: 'done', archivedAtMs: null }, 10_000, 'keep'],
    ['its done card was archived two days ago', { taskStatus: 'done', archivedAtMs: 0 }, 2, 'keep'],
    ['its done card was archived three days ago', { taskStatus: 'done', archivedAtMs: 0 }, 3, 'forget'],
    ['its failed card was archived three days ago', { taskStatus: 'failed', archivedAtMs: 0 }, 3, 'keep'],
    ['its cancelled card was archived a month ago', { taskStatus: 'cancelled', archivedAtMs: 0 }, 30, 'forget'],
  ] as const)('%s', (_what, file, days, plan) => {
    expect(planFile({ id: 1, ...file }, usual, days * day)).toBe(plan)
  })

  test('for ever means for ever', () => {
    const keep: KeepConfig = { doneMs: 'forever', failedMs: 'forever' }
    expect(planFile({ id: 1, taskStatus: 'done', archivedAtMs: 0 }, keep, 10_000 * day)).toBe('keep')
  })
})

interface FileYard {
  readonly home: string
  readonly board: Board
  readonly clock: { atMs: number }
  sweep(keep?: KeepConfig): Promise<number>
  card(): TaskId
  store(text: string): Promise<{ readonly sha256: string; readonly bytes: number }>
  give(task: TaskId, name: string, text: string): Promise<string>
  has(sha256: string): boolean
}

function keeperOf({ board, home, clock }: { board: Board; home: string; clock: Clock }, keep: KeepConfig) {
  const log = { info() {}, warn: console.error, error: console.error }
  return createKeeper({ board, clock, random: systemRandom, log, home, program: '/', env: {}, keep })
}

function aYard(): FileYard {
  const home = mkdtempSync(join(tmpdir(), 'yard-files-'))
  const at = { atMs: systemClock.nowMs() }
  const clock = { ...systemClock, nowMs: () => at.atMs }
  const board = openBoard({ path: join(home, 'yard.db'), clock, random: systemRandom })
  onTestFinished(() => {
    board.close()
    rmSync(home, { recursive: true, force: true })
  })
  const store = async (text: string) => {
    const stored = await storeStream(home, Readable.from([Buffer.from(text)]), { mostBytes: null })
    if (!stored.ok) throw new Error(stored.why)
    return { sha256: stored.sha256, bytes: stored.bytes }
  }
  return {
    home,
    board,
    clock: at,
    sweep: async (keep = usual) => (await keeperOf({ board, home, clock }, keep).sweep()).files,
    card() {
      const spec = { title: 'a task', run: 'true', dir: home }
      const [made] = board.createTasks({ board: 'main', tasks: [{ spec, lane: 'command' }] }, actor)
      if (made === undefined) throw new Error('not made')
      return made.task.id
    },
    store,
    async give(task, name, text) {
      const stored = await store(text)
      board.addAttachment({ task, run: null, name, mediaType: 'text/plain', ...stored }, actor)
      return stored.sha256
    },
    has: (sha256) => existsSync(join(home, 'attachments', sha256.slice(0, 2), sha256)),
  }
}

describe('the store of attachments, looked through', () => {
  test('keeps what a card has, however old it is', async () => {
    const yard = aYard()
    const sha256 = await yard.give(yard.card(), 'spec.pdf', 'spec')
    yard.clock.atMs += 400 * day
    expect(await yard.sweep()).toBe(0)
    expect(yard.has(sha256)).toBe(true)
  })

  test('lets go of what nothing has, and not before it is an hour old: it may be on its way to a card', async () => {
    const yard = aYard()
    const { sha256 } = await yard.store('of a refused completion')
    expect(await yard.sweep()).toBe(0)
    yard.clock.atMs += hour - 60_000
    expect(await yard.sweep()).toBe(0)
    expect(yard.has(sha256)).toBe(true)
    yard.clock.atMs += 120_000
    expect(await yard.sweep()).toBe(1)
    expect(yard.has(sha256)).toBe(false)
  })

  test('lets go of what a file of the same name has replaced', async () => {
    const yard = aYard()
    const task = yard.card()
    const old = await yard.give(task, 'a.txt', 'old')
    const young = await yard.give(task, 'a.txt', 'new')
    yard.clock.atMs += 2 * hour
    expect(await yard.sweep()).toBe(1)
    expect([yard.has(old), yard.has(young)]).toEqual([false, true])
  })

  test('keeps bytes that two cards have until both are archived and past their time', async () => {
    const yard = aYard()
    const [a, b] = [yard.card(), yard.card()]
    const sha256 = await yard.give(a, 'a.txt', 'same')
    await yard.give(b, 'b.txt', 'same')
    for (const task of [a, b]) yard.board.cancelTask(task, actor)
    yard.board.archiveTask(a, null, actor)
    yard.clock.atMs += 31 * day
    expect(await yard.sweep()).toBe(0)
    expect(yard.board.attachmentsOf(a)).toEqual([])
    expect(yard.board.attachmentsOf(b)).toHaveLength(1)
    expect(yard.has(sha256)).toBe(true)
    yard.board.archiveTask(b, null, actor)
    expect(await yard.sweep()).toBe(0)
    yard.clock.atMs += 31 * day
    expect(await yard.sweep()).toBe(1)
    expect(yard.has(sha256)).toBe(false)
  })

  test('hundreds of files are gone through in steps, all of them', async () => {
    const yard = aYard()
    const task = yard.card()
    for (let n = 0; n < 230; n += 1) await yard.give(task, `${n}.txt`, `${n}`)
    yard.board.cancelTask(task, actor)
    yard.board.archiveTask(task, null, actor)
    yard.clock.atMs += 31 * day
    expect(await yard.sweep()).toBe(230)
    expect(yard.board.attachmentsOf(task)).toEqual([])
  })

  test('what a killed hub was receiving goes after an hour', async () => {
    const yard = aYard()
    await yard.store('x')
    const half = join(yard.home, 'attachments', 'unfinished', '4711-1')
    writeFileSync(half, 'half')
    await yard.sweep()
    expect(existsSync(half)).toBe(true)
    yard.clock.atMs += 2 * hour
    await yard.sweep()
    expect(existsSync(half)).toBe(false)
  })

  test('what is not ours there is left alone, and no link is followed', async () => {
    const yard = aYard()
    await yard.store('x')
    const elsewhere = join(yard.home, 'elsewhere')
    const sha256 = 'ab'.repeat(32)
    mkdirSync(elsewhere)
    writeFileSync(join(elsewhere, sha256), 'mine')
    utimesSync(join(elsewhere, sha256), 1, 1)
    symlinkSync(elsewhere, join(yard.home, 'attachments', 'ab'))
    mkdirSync(join(yard.home, 'attachments', 'cd'))
    symlinkSync(join(elsewhere, sha256), join(yard.home, 'attachments', 'cd', 'cd'.repeat(32)))
    writeFileSync(join(yard.home, 'attachments', 'cd', 'README'), 'by a person')
    yard.clock.atMs += 2 * hour
    expect(await yard.sweep()).toBe(1)
    expect(readdirSync(elsewhere)).toEqual([sha256])
    expect(readdirSync(join(yard.home, 'attachments', 'cd')).sort()).toEqual(['README', 'cd'.repeat(32)].sort())
  })

  test('a home without files has nothing to look through', async () => {
    expect(await aYard().sweep()).toBe(0)
  })
})

describe('a hub that is killed', () => {
  beforeAll(buildHub)

  test('between forgetting a file and removing its bytes leaves the bytes to the next one', async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'yard-forgot-')))
    const first = await startYard({ home: root })
    const task = first.add({ run: 'true' })
    await first.over(task)
    const stored = await storeStream(first.home, Readable.from([Buffer.from('spec')]), { mostBytes: null })
    if (!stored.ok) throw new Error(stored.why)
    const { sha256, bytes } = stored
    first.board.addAttachment({ task, run: null, name: 'a.txt', mediaType: 'text/plain', bytes, sha256 }, actor)
    first.board.archiveTask(task, null, actor)
    const path = join(first.home, 'attachments', sha256.slice(0, 2), sha256)
    utimesSync(path, 1, 1)
    await first.leave()
    const hub = startHub(root, {}, 'retention.forgotten', 'sweep')
    expect([await hub.ended, hub.stderr()]).toEqual(['SIGKILL', ''])
    expect(existsSync(path)).toBe(true)
    await using yard = await startYard({ home: root })
    expect(yard.board.attachmentsOf(task)).toEqual([])
    const keep: KeepConfig = { doneMs: 0, failedMs: 'forever' }
    await keeperOf({ ...yard, clock: systemClock }, keep).sweep()
    expect(existsSync(path)).toBe(false)
  })

  test('while it receives a file leaves nothing but the unfinished one, which goes an hour later', async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'yard-received-')))
    const hub = startHub(root, {}, '', 'receive')
    const store = join(root, 'home', 'attachments')
    const unfinished = () => (existsSync(join(store, 'unfinished')) ? readdirSync(join(store, 'unfinished')) : [])
    const sizeOf = (name: string) => statSync(join(store, 'unfinished', name)).size
    while (!unfinished().some((name) => sizeOf(name) > 100_000)) await new Promise((resolve) => setImmediate(resolve))
    hub.process.kill('SIGKILL')
    expect([await hub.ended, hub.stderr()]).toEqual(['SIGKILL', ''])
    expect(readdirSync(store)).toEqual(['unfinished'])
    expect(unfinished()).toHaveLength(1)
    await using yard = await startYard({ home: root })
    const at = systemClock.nowMs() + 2 * hour
    const clock = { ...systemClock, nowMs: () => at }
    await keeperOf({ ...yard, clock }, usual).sweep()
    expect(unfinished()).toEqual([])
  })
})
