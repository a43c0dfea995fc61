import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Task } from '../../src/board/index.ts'
import { waitFor } from '../wait-for.ts'
import { actor, startYard, wake, type YardOptions } from './start-yard.ts'

const agent = ['/bin/bash', join(import.meta.dirname, 'fixtures', 'agent.sh')]

/** A yard whose chat lane is a script that does what its prompt says. */
const chatYard = (options: YardOptions = {}) =>
  startYard({
    self: agent,
    lanes: { chat: { uses: 'chat', account: 'openai', model: 'm' } },
    accounts: { openai: { baseUrl: 'http://127.0.0.1:1/v1', key: { env: 'OPENAI_API_KEY' }, slots: null } },
    env: { OPENAI_API_KEY: 'sk-test-0123456789abcdef' },
    ...options,
  })
const prompt = (...lines: string[]) => ({ prompt: lines.map((line) => `do: ${line}`).join('\n') })
const done = `report '"status":"completed","result":"all well","served":true'`
const back = ({ status, runs }: Task) => runs > 0 && status === 'ready'

describe('an agent of the chat lane', () => {
  test('is done when its report says completed, and its result and usage are kept', async () => {
    await using yard = await chatYard()
    const usage = '"usage":{"inputTokens":10,"cachedTokens":2,"outputTokens":3,"calls":1}'
    const id = yard.add(prompt(`report '"status":"completed","result":"all well","served":true,${usage}'`), {
      lane: 'chat',
    })
    expect((await yard.over(id)).status).toBe('done')
    expect(yard.runs(id)[0]).toMatchObject({
      outcome: 'done',
      result: 'all well',
      usage: { inputTokens: 10, cachedTokens: 2, outputTokens: 3, calls: 1 },
    })
  })

  test('gets its key by its pipe only, and what it says of it is masked', async () => {
    await using yard = await chatYard()
    const id = yard.add(prompt('echo "args: $*; key: $(sed -n "s/^key //p" <&3)"; env', done), { lane: 'chat' })
    await yard.over(id)
    expect(yard.runs(id)[0]?.outputTail).toContain('args: ; key: [secret]\n')
    expect(yard.runs(id)[0]?.outputTail?.match(/\[secret\]/g)).toHaveLength(1)
    expect(JSON.stringify(yard.runs(id))).not.toContain('sk-test')
  })

  test('says why its account is held without saying its key, in the account, its events and what people read', async () => {
    await using yard = await chatYard()
    const id = yard.add(
      prompt(`report '"status":"wall","message":"no more for '$(sed -n "s/^key //p" <&3)'"'`, 'exit 75'),
      {
        lane: 'chat',
      },
    )
    await yard.when(id, back)
    expect(yard.board.readGate('openai')?.reason).toBe('no more for [secret]')
    expect(JSON.stringify([yard.board.eventsAfter(0, 999), yard.runs(id), yard.task(id)])).not.toContain('sk-test')
  })

  test('C48 C55: exit 0 without a report is no evidence of work: one more attempt, then failed, its text kept', async () => {
    await using yard = await chatYard()
    const id = yard.add({ ...prompt('echo "I have nothing to do."'), attempts: 5 }, { lane: 'chat' })
    expect(await yard.over(id)).toMatchObject({ status: 'failed', holdCode: 'incomplete', runs: 2 })
    expect(yard.runs(id).map(({ outcome }) => outcome)).toEqual(['incomplete', 'incomplete'])
    expect(yard.runs(id)[0]?.outputTail).toBe('I have nothing to do.')
    expect(yard.task(id).holdText).toContain('no evidence of work')
  })

  test('C51: what reported done and has gone stays done, and never runs again', async () => {
    await using yard = await chatYard({ pollEveryMs: 5 })
    const id = yard.add(prompt(done), { lane: 'chat' })
    await yard.over(id)
    await wake(yard, 100)
    expect(yard.task(id)).toMatchObject({ status: 'done', runs: 1 })
  })
})

describe('the limit of an account', () => {
  const wall = `report '"status":"wall","reason":"rate_limit","message":"429 slow down"'; exit 75`

  test('C47: costs no attempt, holds all tasks of the account and no other, and nothing starts before its time', async () => {
    await using yard = await chatYard()
    const walled = yard.add(prompt(wall), { lane: 'chat' })
    expect(await yard.when(walled, back)).toMatchObject({ failures: 0, notBeforeMs: null })
    expect(yard.runs(walled)[0]).toMatchObject({ outcome: 'tempfail', exitCode: 75, reason: '429 slow down' })
    const gate = yard.board.readGate('openai')
    expect(gate?.untilMs).toBeGreaterThan(Date.now() + 50_000)
    const other = yard.add(prompt(done), { lane: 'chat' })
    const command = yard.add({ run: 'true' })
    expect((await yard.over(command)).status).toBe('done')
    await wake(yard, 20)
    expect(yard.task(other)).toMatchObject({ status: 'ready', runs: 0 })
    expect(yard.task(walled)).toMatchObject({ status: 'ready', runs: 1, failures: 0 })
    expect(yard.board.explainTask(other, 'up').code).toBe('account_held')
  })

  test('ends by itself at the time that the provider gave: one probe goes first, the others follow it', async () => {
    await using yard = await chatYard()
    const inASecond = '$(date -u -d "+1 second" +%Y-%m-%dT%H:%M:%S.%3NZ)'
    const hinted = `report '"status":"wall","message":"429","retryAt":"'"${inASecond}"'"'; exit 75`
    const first = yard.add(prompt(`if [ ! -e seen ]; then touch seen; ${hinted}; fi; ${done}`), { lane: 'chat' })
    await yard.when(first, back)
    const rest = [1, 2, 3].map(() => yard.add(prompt(done), { lane: 'chat' }))
    const all = await Promise.all([first, ...rest].map((id) => yard.over(id)))
    expect(all.map(({ status }) => status)).toEqual(['done', 'done', 'done', 'done'])
    expect([first, ...rest].flatMap((id) => yard.runs(id)).filter(({ probe }) => probe)).toHaveLength(1)
    expect(yard.board.readGate('openai')).toMatchObject({ untilMs: null, probeRun: null })
  })

  test('money or access parks the account until a person resumes it; nothing is counted', async () => {
    await using yard = await chatYard()
    const broke = `report '"status":"wall","message":"no credit left","needsHuman":"money"'; exit 75`
    const id = yard.add(prompt(`if [ ! -e paid ]; then touch paid; ${broke}; fi; ${done}`), { lane: 'chat' })
    expect(await yard.when(id, back)).toMatchObject({ failures: 0 })
    expect(yard.board.readGate('openai')).toMatchObject({ parkedBy: 'dispatcher', reason: 'money: no credit left' })
    await wake(yard, 20)
    expect(yard.task(id).runs).toBe(1)
    yard.board.liftHold('account', 'openai', actor)
    expect(await yard.over(id)).toMatchObject({ status: 'done', runs: 2 })
  })

  test('a lone 75 without a reason holds only its own task', async () => {
    await using yard = await chatYard({ retryWaits: { baseMs: 100_000, capMs: 100_000 } })
    const lone = yard.add(prompt('exit 75'), { lane: 'chat' })
    const { notBeforeMs } = await yard.when(lone, back)
    expect(notBeforeMs).toBeGreaterThan(Date.now() + 50_000)
    const other = yard.add(prompt(done), { lane: 'chat' })
    expect((await yard.over(other)).status).toBe('done')
    expect(yard.board.readGate('openai')?.untilMs ?? null).toBeNull()
    const second = yard.add(prompt('exit 75'), { lane: 'chat' })
    await yard.when(second, back)
    expect(yard.board.readGate('openai')?.untilMs).toBeGreaterThan(Date.now())
  })
})

test('a limit that one batch meets ends every batch that does not wait for limits', async () => {
  await using yard = await chatYard({
    accounts: { openai: { baseUrl: 'http://127.0.0.1:1/v1', key: { env: 'OPENAI_API_KEY' }, slots: 1 } },
  })
  const wall = `report '"status":"wall","message":"429"'; exit 75`
  const [meets, hears] = ['meets', 'hears'].map((name) => {
    const task = { rowKey: 'a', lane: 'chat', spec: { title: name, dir: yard.folder, ...prompt(wall) } }
    const limits = { onWall: 'stop' } as const
    const batch = { name, digest: '', file: null, limits, defaults: {}, tasks: [task], mode: 'auto', redo: [] } as const
    return yard.board.submitBatch({ board: 'main', batch }, actor).batch.id
  })
  const ended = () =>
    [meets, hears].map((id) => (id === undefined ? undefined : yard.board.readBatch(id))?.verdict?.exitCode)
  await waitFor(() => expect(ended()).toEqual([7, 7]))
})

describe('a secret that is missing', () => {
  test('is named, costs no attempt, and holds the lane until it is there', async () => {
    await using yard = await chatYard({ env: {} })
    const id = yard.add(prompt(done), { lane: 'chat' })
    await yard.when(id, ({ runs }) => runs === 1)
    await yard.when(id, ({ status }) => status === 'ready')
    expect(yard.runs(id)).toMatchObject([{ outcome: 'launch_failed', pid: null }])
    expect(yard.runs(id)[0]?.reason).toBe('no key for account openai: OPENAI_API_KEY is not set')
    expect(yard.board.holds()).toMatchObject([{ scope: 'lane', name: 'chat', by: 'dispatcher' }])
    expect(yard.task(id)).toMatchObject({ status: 'ready', failures: 0 })
    await yard.leave()
    await using next = await chatYard({ home: join(yard.home, '..') })
    expect((await next.over(id)).status).toBe('done')
    expect(next.board.holds()).toEqual([])
  })

  test('of a batch of its own ends the batch for a person instead of waiting for ever', async () => {
    await using yard = await chatYard({ env: {} })
    const task = { rowKey: 'a', lane: 'chat', spec: { title: 'a', dir: yard.folder, ...prompt(done) } }
    const limits = { onWall: 'wait' } as const
    const ended = yard.seen('batch.ended')
    yard.board.submitBatch(
      {
        board: 'main',
        batch: { name: 'b', digest: '', file: null, limits, defaults: {}, tasks: [task], mode: 'auto', redo: [] },
      },
      actor,
    )
    expect((await ended).data).toMatchObject({ exitCode: 5 })
  })
})
