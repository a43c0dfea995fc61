import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { actor, exitRule, startYard, wake } from './start-yard.ts'

describe('a failure', () => {
  test('is repeated as often as the task says, each time after a longer wait, and then the task is failed', async () => {
    await using yard = await startYard()
    const id = yard.add({ run: 'exit 3', attempts: 3 })
    expect(await yard.over(id)).toMatchObject({ status: 'failed', failures: 3, runs: 3 })
    expect(yard.task(id).holdText).toBe('failed 3 of 3 times. Last: exit code 3')
  })

  test('a wait that ends while the loop is at work is noticed without waiting for the next look', async () => {
    await using yard = await startYard({ retryWaits: { baseMs: 1, capMs: 2 }, pollEveryMs: 3_600_000 })
    const id = yard.add({ run: ['/bin/false'], attempts: 60 })
    expect(await yard.over(id)).toMatchObject({ status: 'failed', runs: 60 })
  })

  test('C59: past its limit a task is never started again by itself, only by a person', async () => {
    await using yard = await startYard()
    const parent = yard.add({ run: 'true' })
    const id = yard.add({ run: 'exit 3' }, { needs: [{ on: parent, when: 'done' }] })
    await yard.over(id)
    await wake(yard, 1_000)
    expect(yard.task(id)).toMatchObject({ status: 'failed', runs: 1 })
    yard.board.retryTask(id, null, actor)
    await yard.when(id, ({ runs, status }) => runs === 2 && status === 'failed')
  })

  test('C63 C72: what waits for a person is never run, however often the yard looks and others finish', async () => {
    await using yard = await startYard()
    const ids = [1, 2, 3, 4].map(() => yard.add({ run: 'echo ran' }, { draft: true }))
    for (const id of ids) yard.board.blockTask(id, 'needs a decision', actor)
    for (let unrelated = 0; unrelated < 5; unrelated += 1) await yard.over(yard.add({ run: 'true' }))
    await wake(yard, 100)
    expect(ids.map((id) => yard.task(id))).toMatchObject(ids.map(() => ({ status: 'blocked', runs: 0 })))
    const [first] = ids
    if (first === undefined) return
    yard.board.unblockTask(first, actor)
    expect((await yard.over(first)).status).toBe('done')
  })
})

describe('exit code 75', () => {
  test('is tried later and costs no attempt', async () => {
    await using yard = await startYard()
    const id = yard.add({ run: 'echo x >> tries; [ "$(wc -l < tries)" -ge 3 ] || exit 75' })
    expect(await yard.over(id)).toMatchObject({ status: 'done', runs: 3, failures: 0 })
    expect(yard.runs(id).map(({ outcome }) => outcome)).toEqual(['tempfail', 'tempfail', 'done'])
  })

  test('for ever waits for a person after five tries, and is not failed', async () => {
    await using yard = await startYard()
    const id = yard.add({ run: 'exit 75' })
    expect(await yard.over(id)).toMatchObject({ status: 'blocked', holdCode: 'tempfail', failures: 0, runs: 5 })
    expect(yard.task(id).holdText).toContain('5 attempts ended this way')
    yard.board.unblockTask(id, actor)
    await yard.when(id, ({ runs }) => runs === 6)
  })
})

test('a task that dies by a signal three times is failed, whatever its attempts', async () => {
  await using yard = await startYard()
  const id = yard.add({ run: 'kill -SEGV $$', attempts: 50 })
  expect(await yard.over(id)).toMatchObject({ status: 'failed', holdCode: 'crash_loop', runs: 3 })
})

test('an outside TERM is no failure: auto is repeated, ask waits for a person with what is known', async () => {
  await using yard = await startYard()
  const auto = yard.add({ run: 'if [ ! -e cut ]; then touch cut; kill -TERM $$; fi', rerun: 'auto' })
  const ask = yard.add({ run: 'kill -TERM $$' })
  expect(await yard.over(auto)).toMatchObject({ status: 'done', runs: 2, failures: 0 })
  expect(await yard.over(ask)).toMatchObject({ status: 'blocked', holdCode: 'interrupted', failures: 0 })
  expect(yard.task(ask).holdText).toContain('ended by SIGTERM, and not by us')
})

test('rules of lane and task: the first match wins, by code or by what the output says', async () => {
  const rules = [
    exitRule('block', { code: [2], why: 'bad input' }),
    exitRule('fail', { output: 'no more today' }),
    exitRule('done', { code: [3] }),
  ]
  await using yard = await startYard({ lanes: { strict: { uses: 'command', exits: rules } } })
  const add = (run: string) => yard.add({ run, attempts: 5 }, { lane: 'strict' })
  const [bad, over, fine] = [add('exit 2'), add('echo no more today; exit 1'), add('exit 3')]
  expect(await yard.over(bad)).toMatchObject({ status: 'blocked', holdText: 'exit code 2: bad input' })
  expect(await yard.over(over)).toMatchObject({ status: 'failed', runs: 1 })
  expect(await yard.over(fine)).toMatchObject({ status: 'done' })
})

test('slots hold: never more at once than allowed, and none stays empty while something waits', async () => {
  await using yard = await startYard({ slots: 3 })
  appendFileSync(join(yard.folder, 'log'), '')
  const ids = Array.from({ length: 9 }, () => yard.add({ run: 'echo + >> log; sleep 0.3; echo - >> log' }))
  await Promise.all(ids.map((id) => yard.over(id)))
  let running = 0
  const peaks = readFileSync(join(yard.folder, 'log'), 'utf8')
    .trim()
    .split('\n')
    .map((sign) => (running += sign === '+' ? 1 : -1))
  expect(Math.max(...peaks)).toBeLessThanOrEqual(3)
  expect(Math.max(...peaks)).toBeGreaterThan(1)
  expect(existsSync(join(yard.home, 'runs', '0', 'R9', 'exit'))).toBe(true)
})
