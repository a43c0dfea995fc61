import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { stepClockFrom, systemClock } from '../../src/kernel/index.ts'
import { actor, startYard, type Yard } from './start-yard.ts'

const hourMs = 3_600_000
let folder: string
const step = (ms: number) => writeFileSync(join(folder, 'offset'), String(ms))
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'yardmaster-clock-'))
  step(0)
  stepClockFrom(join(folder, 'offset'))
})
afterEach(() => {
  step(0)
  rmSync(folder, { recursive: true, force: true })
})

const quick = { pollEveryMs: 50, retryWaits: { baseMs: 200, capMs: 400 } }
const failsOnce = 'test -e again || { touch again; exit 1; }'
const waitsForItsTime = (yard: Yard, id: Parameters<Yard['task']>[0]) =>
  yard.when(id, ({ status, runs, notBeforeMs }) => status === 'ready' && runs === 1 && notBeforeMs !== null)

describe('C145: the wall clock jumps 8 h ahead and is set right again', () => {
  test('what runs is not timed out by it, and what waits for its next attempt does not wait for 8 h', async () => {
    await using yard = await startYard(quick)
    const runs = yard.add({ run: 'while test ! -e go; do sleep 0.02; done', timeoutMs: 20_000 })
    await yard.seen('run.started', { task: runs })

    step(8 * hourMs)
    const waits = yard.add({ run: failsOnce, attempts: 2 })
    expect((await waitsForItsTime(yard, waits)).notBeforeMs).toBeGreaterThan(Date.now() + 7 * hourMs)
    step(0)

    expect((await yard.over(waits)).status).toBe('done')
    writeFileSync(join(yard.folder, 'go'), '')
    expect((await yard.over(runs)).status).toBe('done')
    expect([yard.runs(runs).length, yard.runs(waits).length]).toEqual([1, 2])
  })

  test('an account that met its limit meanwhile is held as long as it would have been, and not for 8 h', async () => {
    const lanes = { paid: { account: 'paid' } }
    await using yard = await startYard({
      ...quick,
      lanes,
      accounts: { paid: { baseUrl: null, key: 'none', slots: null } },
    })
    step(8 * hourMs)
    const limited = yard.add({ run: 'exit 75' }, { lane: 'paid' })
    await yard.when(limited, ({ status, runs }) => status === 'ready' && runs === 1)
    const run = yard.runs(limited)[0]?.id
    if (run === undefined) throw new Error('it has not run')
    const untilMs = systemClock.nowMs() + 60_000
    yard.board.closeGate({ account: 'paid', untilMs, reason: 'full', byRun: run, doublings: 0 })

    step(0)
    await yard.over(yard.add({ run: 'sleep 0.2' }))
    const gate = yard.board.readGate('paid')
    expect(gate?.untilMs).toBeLessThanOrEqual(Date.now() + 60_000)
    expect(gate?.untilMs).toBeGreaterThan(Date.now() + 30_000)
  })

  test('while no hub is up: the next one does not wait for 8 h either', async () => {
    const first = await startYard({ ...quick, retryWaits: { baseMs: 60_000, capMs: 60_000 } })
    step(8 * hourMs)
    const id = first.add({ run: failsOnce, attempts: 2 })
    await waitsForItsTime(first, id)
    await first.leave()

    step(0)
    await using next = await startYard({ ...quick, home: join(first.home, '..') })
    expect((await next.over(id)).status).toBe('done')
  })

  test('a time that a person asked for stands', async () => {
    await using yard = await startYard({ ...quick, retryWaits: { baseMs: 60_000, capMs: 60_000 } })
    const id = yard.add({ run: failsOnce, attempts: 2 })
    await waitsForItsTime(yard, id)
    step(8 * hourMs)
    const atMs = systemClock.nowMs() + hourMs
    yard.board.editTask(id, { notBeforeMs: atMs }, actor)

    step(0)
    const other = yard.add({ run: 'true' })
    await yard.over(other)
    expect(yard.task(id).notBeforeMs).toBe(atMs)
    expect(yard.board.explainTask(id, 'up').code).toBe('later')
  })
})
