import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { Rehearsed, rehearse, requireFreshBuild } from './chat-worker.ts'
import { type FaultServer, refuse, sayAndStop, startFaultServer } from './fault-server.ts'
import { error } from './provider/faults/fixtures/fixture.ts'

/** What a worker owes to its board at a wall that many meet, or that never opens, or that a word only looks like. */

beforeAll(requireFreshBuild)

const once = ['-q', 'go', '--retries', '0']
const workerOf = ({ baseUrl }: FaultServer) => new Rehearsed({ baseUrl, stop: async () => {}, calls: [] })

async function runOnce(server: FaultServer, args: readonly string[] = once) {
  await using worker = workerOf(server)
  const { code } = await worker.boardWorker(args).ended
  return { code, report: worker.report() }
}

test('C66: ten workers at one limit all say until when and none says failed; when it is over all finish', async () => {
  const limit = refuse(429, error({ message: 'slow down', code: 'rate_limit_exceeded' }), { 'retry-after': '3600' })
  await using server = await startFaultServer([...Array.from({ length: 10 }, () => ({ ...limit })), sayAndStop('done')])
  const ten = () => Promise.all(Array.from({ length: 10 }, () => runOnce(server)))
  const hourMs = 3_600_000
  const before = Date.now()

  const limited = await ten()

  expect(server.calls).toHaveLength(10)
  for (const { code, report } of limited) {
    expect(code).toBe(75)
    expect(report).toMatchObject({ status: 'wall', reason: 'rate_limit', needsHuman: null, served: false })
    expect(Date.parse(report.retryAt ?? '')).toBeGreaterThanOrEqual(before + hourMs)
    expect(Date.parse(report.retryAt ?? '')).toBeLessThanOrEqual(Date.now() + hourMs)
  }
  for (const { code, report } of await ten())
    expect([code, report.status, report.result]).toEqual([0, 'completed', 'done'])
})

describe('C68: a wall that never opens costs each attempt the same few calls and ends it with the same words', () => {
  test('a limit: the call and its repeats', async () => {
    await using server = await startFaultServer([
      refuse(429, error({ message: 'slow down' }), { 'retry-after': '0.05' }),
    ])

    const ends = [await runOnce(server, ['-q', 'go']), await runOnce(server, ['-q', 'go'])]

    for (const { code, report } of ends)
      expect([code, report.status, report.reason]).toEqual([75, 'wall', 'rate_limit'])
    expect(server.calls).toHaveLength(2 * 3)
  })

  test('money: one call, and a person is asked for', async () => {
    await using server = await startFaultServer([refuse(429, error({ message: 'pay', code: 'insufficient_quota' }))])

    const { code, report } = await runOnce(server, ['-q', 'go'])

    expect([code, report.status, report.reason, report.needsHuman]).toEqual([75, 'wall', 'billing', 'money'])
    expect(report.message).toMatch(/Fix: look at the account's credit and plan/)
    expect(server.calls).toHaveLength(1)
  })
})

describe('C70: words of a task, a path, an output or an answer never decide what an end means', () => {
  const alarm = '403 Forbidden quota auth author 429 insufficient_quota maximum context length'

  test('not in the prompt, the path, the output of a command or the answer of the model', async () => {
    const cut = `{ say: "rate limit exceeded, billing, 429", finish: length }`
    await using yard = await rehearse(`
plays:
  - turns:
      - say: timeout 503
        call: [{ tool: terminal, with: { command: "echo '${alarm}'; exit 75" } }]
${Array.from({ length: 4 }, () => `      - ${cut}`).join('\n')}
`)
    const path = join(yard.folder, alarm)
    mkdirSync(path)

    expect((await yard.boardWorker(['-q', alarm, '--cwd', path, '--retries', '0']).ended).code).toBe(1)
    expect(yard.report()).toMatchObject({ status: 'partial', reason: 'output_truncated', needsHuman: null })
    expect(yard.report().error).toBeUndefined()
  })

  test('not where a provider sends the prompt back in its refusal', async () => {
    const detail = [{ loc: ['body', 'messages'], msg: 'wrong form', type: 'value_error', input: alarm }]
    await using server = await startFaultServer([refuse(422, JSON.stringify({ detail }))])

    const { code, report } = await runOnce(server, ['-q', alarm, '--retries', '0'])

    expect([code, report.status, report.reason, report.needsHuman]).toEqual([1, 'failed', 'bad_request', null])
  })

  test('and a full answer that only talks of walls is an answer', async () => {
    await using server = await startFaultServer([sayAndStop(alarm)])

    expect(await runOnce(server)).toMatchObject({ code: 0, report: { status: 'completed', result: alarm } })
  })
})
