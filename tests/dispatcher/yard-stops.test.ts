import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import type { NewBatch } from '../../src/board/index.ts'
import { actor, startYard, type Yard } from './start-yard.ts'

/** Alive, and no zombie that only waits to be reaped. */
function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** The store as another program sees it, which can make one kind of change fail in SQLite itself. */
class Store {
  readonly #db: Sqlite.Database
  constructor(path: string) {
    this.#db = new Sqlite(path)
  }
  refuseStops(): void {
    this.#db.exec(`create trigger no_stops before update of stop_kind on run begin select raise(abort, 'no room'); end`)
  }
  takeStops(): void {
    this.#db.exec('drop trigger no_stops')
  }
  [Symbol.dispose](): void {
    this.#db.close()
  }
}

/** Says that it runs by a file, so that nobody has to guess when it does. */
const sleeper = 'sleep 300 & echo $! > new-pid; mv new-pid grandchild; wait'
const grandchildOf = (yard: Yard) => Number(readFileSync(join(yard.folder, 'grandchild'), 'utf8'))
const running = async (yard: Yard, id: ReturnType<Yard['add']>) => {
  await yard.when(id, ({ status }) => status === 'running')
  while (!existsSync(join(yard.folder, 'grandchild'))) await new Promise((resolve) => setTimeout(resolve, 5))
}

describe('ending what runs', () => {
  test('stop by a person ends the whole tree and leaves the task to that person', async () => {
    await using yard = await startYard()
    const id = yard.add({ run: sleeper, rerun: 'auto' })
    await running(yard, id)
    const grandchild = grandchildOf(yard)
    yard.board.stopTask(id, 'wrong branch', actor)
    expect(await yard.over(id)).toMatchObject({ status: 'blocked', holdCode: 'stopped', failures: 0 })
    expect(yard.task(id).holdText).toBe('stopped by ana: wrong branch')
    expect(yard.runs(id)[0]).toMatchObject({ outcome: 'stopped', stopDelivered: true, rung: 'TERM' })
    expect(isAlive(grandchild)).toBe(false)
  })

  test('cancel by a person ends it for good', async () => {
    await using yard = await startYard()
    const id = yard.add({ run: sleeper })
    await running(yard, id)
    yard.board.cancelTask(id, actor)
    expect((await yard.over(id)).status).toBe('cancelled')
    expect(yard.runs(id)[0]).toMatchObject({ outcome: 'cancelled', stop: { kind: 'cancel', by: 'ana' } })
    expect(isAlive(grandchildOf(yard))).toBe(false)
  })

  test('a timeout ends one that ignores TERM, its grandchild with it, and counts as a failure', async () => {
    await using yard = await startYard({ graceMs: 100 })
    const id = yard.add({ run: `trap '' TERM; ${sleeper}`, timeoutMs: 2_500 })
    await running(yard, id)
    expect(await yard.over(id)).toMatchObject({ status: 'failed', holdCode: 'timed_out', failures: 1 })
    expect(yard.runs(id)[0]).toMatchObject({ outcome: 'timed_out', rung: 'KILL', stop: { kind: 'timeout' } })
    expect(isAlive(grandchildOf(yard))).toBe(false)
  })

  test('a stop whose reason cannot be put on record signals nobody until it can, and then ends everything', async () => {
    let heard = () => {}
    const faulted = new Promise<void>((resolve) => {
      heard = resolve
    })
    const yard = await startYard({ onFault: () => heard() })
    const id = yard.add({ run: sleeper, rerun: 'auto' })
    await running(yard, id)
    const grandchild = grandchildOf(yard)
    using db = new Store(join(yard.home, 'yard.db'))
    db.refuseStops()
    const stopped = yard.dispatcher.stop({ workers: 'end' })
    await faulted
    expect(() => yard.dispatcher.hurry()).not.toThrow()
    expect([isAlive(grandchild), yard.runs(id)[0]?.stop]).toEqual([true, null])
    db.takeStops()
    await stopped
    expect(yard.runs(id)[0]).toMatchObject({ outcome: 'interrupted', stop: { kind: 'shutdown' }, stopDelivered: true })
    expect(isAlive(grandchild)).toBe(false)
    await yard[Symbol.asyncDispose]()
  })

  test('hurry kills at once, without the grace', async () => {
    const yard = await startYard({ graceMs: 60_000 })
    const id = yard.add({ run: `trap '' TERM; ${sleeper}`, rerun: 'auto' })
    await running(yard, id)
    const stopped = yard.dispatcher.stop({ workers: 'end' })
    yard.dispatcher.hurry()
    await stopped
    expect(yard.runs(id)[0]).toMatchObject({ outcome: 'interrupted', rung: 'KILL' })
    expect(yard.task(id)).toMatchObject({ status: 'ready', failures: 0 })
    await yard[Symbol.asyncDispose]()
  })
})

describe('leaving', () => {
  test('a drained yard starts nothing new, and what runs may finish', async () => {
    await using yard = await startYard()
    const id = yard.add({ run: 'touch grandchild; while [ ! -e go ]; do sleep 0.02; done' })
    await running(yard, id)
    const left = yard.dispatcher.leave()
    const late = yard.add({ run: 'true' })
    expect(yard.dispatcher.isLeaving()).toBe(true)
    expect(yard.board.openRuns()).toHaveLength(1)
    writeFileSync(join(yard.folder, 'go'), '')
    await left
    expect(yard.task(id).status).toBe('done')
    expect(yard.task(late)).toMatchObject({ status: 'ready', runs: 0 })
  })

  test('stopping with end gives back what it cuts, at no cost in attempts', async () => {
    const yard = await startYard()
    const auto = yard.add({ run: sleeper, rerun: 'auto' })
    const ask = yard.add({ run: 'touch asking; sleep 300' })
    await running(yard, auto)
    await yard.when(ask, ({ status }) => status === 'running')
    await yard.dispatcher.stop({ workers: 'end' })
    expect(yard.task(auto)).toMatchObject({ status: 'ready', failures: 0 })
    expect(['blocked', 'ready']).toContain(yard.task(ask).status)
    expect(yard.board.openRuns()).toEqual([])
    expect(isAlive(grandchildOf(yard))).toBe(false)
    await yard[Symbol.asyncDispose]()
  })

  test('starting and stopping twice changes nothing', async () => {
    await using yard = await startYard()
    await yard.dispatcher.start()
    await yard.dispatcher.stop()
    await yard.dispatcher.stop({ workers: 'end' })
  })
})

describe('a batch', () => {
  const submit = (yard: Yard, fields: Partial<NewBatch>, runs: Readonly<Record<string, string>>) =>
    yard.board.submitBatch(
      {
        board: 'main',
        batch: {
          name: 'b',
          digest: '',
          file: null,
          limits: { onWall: 'wait' },
          defaults: {},
          mode: 'auto',
          redo: [],
          tasks: Object.entries(runs).map(([rowKey, run]) => ({
            rowKey,
            lane: 'command',
            spec: { title: rowKey, dir: yard.folder, run },
          })),
          ...fields,
        },
      },
      actor,
    ).batch.id

  test('ends with its verdict when the last task has ended', async () => {
    await using yard = await startYard()
    const ended = yard.seen('batch.ended')
    const id = submit(yard, {}, { a: 'true', b: 'true' })
    await ended
    expect(yard.board.readBatch(id)?.verdict).toMatchObject({ exitCode: 0 })
  })

  test('whose time is over starts nothing new, stops what runs and says so', async () => {
    await using yard = await startYard({ slots: 1 })
    const ended = yard.seen('batch.ended')
    const limits = { onWall: 'wait', stopAtMs: Date.now() + 2_500 } as const
    const id = submit(yard, { limits, defaults: { rerun: 'auto' } }, { a: 'sleep 300', b: 'true' })
    await ended
    expect(yard.board.readBatch(id)).toMatchObject({ cut: 'time', verdict: { exitCode: 9 } })
    const [a] = yard.board.listTasks({ batch: id }, { limit: 9 }).rows
    expect(a).toMatchObject({ status: 'ready', failures: 0 })
    expect(a === undefined ? [] : yard.runs(a.id)).toMatchObject([
      { outcome: 'interrupted', stop: { kind: 'batch_time' } },
    ])
  })
})
