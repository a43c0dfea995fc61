import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, expect, test } from 'vitest'
import { type Clock, systemClock } from '../../../src/kernel/index.ts'
import { callWithRetries } from '../../../src/worker/provider/call-with-retries.ts'
import { lineUp, type ModelLine } from '../../../src/worker/provider/model-line.ts'
import { chatEvent, type FaultAnswer, refuse, sayAndStop, startFaultServer, streamHead } from '../fault-server.ts'
import { aCall, ask, endpointAt, opening, told } from './a-call.ts'

const random = { fraction: () => 0, hex: () => '' }
const policy = { retries: 2, longestWaitMs: 30_000, allWaitsMs: 120_000 }
const error = (status: number, code: string, headers = {}) =>
  refuse(status, JSON.stringify({ error: { code, message: `about ${code}` } }), headers)
const gone = error(404, 'model_not_found')
const full = error(503, 'server_is_overloaded')
const dropped: FaultAnswer = { steps: [streamHead(), { do: 'send', bytes: chatEvent({ content: 'ha' }) }] }
const forModel = (model: string, answer: FaultAnswer): FaultAnswer => ({ ...answer, when: { model } })

async function converse(
  answers: readonly FaultAnswer[],
  how: { line?: ModelLine; clock?: Clock; signal?: AbortSignal; runLeftMs?: () => number } = {},
) {
  await using server = await startFaultServer(answers)
  const waits: number[] = []
  const moves: string[] = []
  const { signal = new AbortController().signal, runLeftMs, clock = systemClock, line } = how
  const result = await callWithRetries(
    { clock, random },
    {
      call: aCall(server.baseUrl, { signal, ...(runLeftMs === undefined ? {} : { runLeftMs }) }),
      policy,
      ledger: { waitedMs: 0 },
      ...(line === undefined ? {} : { line }),
      onWait: (_, ms) => waits.push(ms),
      onMove: ({ fault }, to) => moves.push(`${fault.reason} → ${to}`),
    },
  )
  return { result, waits, moves, asked: server.calls.map(({ model }) => model).join(' ') }
}

describe('a call is asked again as often as its fault allows', () => {
  test.each<[string, FaultAnswer, number]>([
    ['a wall: twice', full, 3],
    ['a dropped stream: three times', dropped, 4],
    ['a conflict: once', error(409, 'conflict'), 2],
    ['a broken protocol: once', refuse(200, '<html>'), 2],
    ['money: never', error(429, 'insufficient_quota'), 1],
    ['a key: never', error(401, 'invalid_api_key'), 1],
    ['a bad request: never', error(400, 'bad'), 1],
    ['a hint beyond 30 s: never', error(429, 'rate_limit_exceeded', { 'retry-after': '31' }), 1],
  ])('%s', async (_, answer, calls) => {
    const { result, asked } = await converse([answer])
    expect(result.kind).toBe('fault')
    expect(asked.split(' ')).toHaveLength(calls)
    if (result.kind === 'fault') expect(result.fault.attempt).toBe(calls)
  })

  test('a short hint is waited for', async () => {
    const { result, waits } = await converse([
      error(429, 'rate_limit_exceeded', { 'retry-after-ms': '40' }),
      sayAndStop('hi'),
    ])
    expect(result).toMatchObject({ kind: 'reply', model: 'm' })
    expect(waits).toEqual([40])
  })

  test('a stop in a wait ends it at once, as a stop', async () => {
    const stopped = new AbortController()
    const clock = {
      ...systemClock,
      sleep: () => {
        stopped.abort()
        return Promise.reject(new Error('aborted'))
      },
    }
    const { result } = await converse([error(429, 'slow_down', { 'retry-after': '20' })], {
      clock,
      signal: stopped.signal,
    })
    expect(result).toMatchObject({ fault: { class: 'interrupted', retryAfterMs: null, resetAtMs: null } })
  })

  test('a wait that the run has no time for is not begun', async () => {
    const { result, waits } = await converse([error(429, 'slow_down', { 'retry-after': '20' })], {
      runLeftMs: () => 20_000,
    })
    expect(result).toMatchObject({ fault: { reason: 'rate_limit', retryAfterMs: 20_000 } })
    expect(waits).toEqual([])
  })
})

describe('the next model of the line is asked where the one before cannot answer', () => {
  test('because it is not there, at once, and who answered is told', async () => {
    const line = lineUp(['a', 'b'])
    const { result, asked, moves } = await converse([forModel('a', gone), forModel('b', sayAndStop('hi'))], { line })
    expect(result).toMatchObject({ kind: 'reply', model: 'b', reply: { text: 'hi' } })
    expect(asked).toBe('a b')
    expect(moves).toEqual(['model_not_found → b'])
    expect(line.at).toBe(1)
  })

  test('because it stays without room, after its repeats, and each model has repeats of its own', async () => {
    const { asked, result } = await converse([full], { line: lineUp(['a', 'b']) })
    expect(asked).toBe('a a a b b b')
    expect(result).toMatchObject({ kind: 'fault', model: 'b', fault: { reason: 'overloaded' } })
  })

  test('because its provider is limited behind an aggregator', async () => {
    const upstream = refuse(
      429,
      JSON.stringify({ error: { code: 429, message: 'x', metadata: { provider_name: 'P', raw: 'y' } } }),
    )
    const { asked } = await converse([forModel('a', upstream), forModel('b', sayAndStop('hi'))], {
      line: lineUp(['a', 'b']),
    })
    expect(asked).toBe('a a a b')
  })

  test('and a call later it is not gone back to', async () => {
    const line = lineUp(['a', 'b'])
    const answers = [forModel('a', gone), forModel('b', sayAndStop('hi'))]
    await converse(answers, { line })
    expect((await converse(answers, { line })).asked).toBe('b')
  })

  test.each<[string, FaultAnswer]>([
    ['a wrong key', error(401, 'invalid_api_key')],
    ['money', error(429, 'insufficient_quota')],
    ['a bad request', error(400, 'bad')],
    ["the account's own rate", error(429, 'rate_limit_exceeded')],
    ['a broken server', error(500, 'server_error')],
    ['an overflow', error(400, 'context_length_exceeded')],
  ])('never for %s: the next would meet the same', async (_, answer) => {
    const { asked, moves } = await converse([answer], { line: lineUp(['a', 'b']) })
    expect(asked).not.toContain('b')
    expect(moves).toEqual([])
  })

  test('of models without room and models that are not there, the wall counts: it may be open later', async () => {
    const { result } = await converse([forModel('a', full), forModel('b', gone)], { line: lineUp(['a', 'b']) })
    expect(told(result)).toMatchObject({ class: 'transient', reason: 'overloaded' })
    const all = await converse([gone], { line: lineUp(['a', 'b', 'a']) })
    expect(all.asked).toBe('a b')
    expect(told(all.result)).toMatchObject({ class: 'needs_human', reason: 'model_not_found' })
  })
})

test('a kept connection that the server has closed meanwhile is not a fault: the call goes out on a new one', async () => {
  let calls = 0
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      calls += 1
      if (calls === 2) return request.socket.resetAndDestroy() // on the connection of the first call
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(`${chatEvent({ content: `answer ${calls}` })}${chatEvent({}, 'stop')}`)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as { port: number }
    const baseUrl = `http://127.0.0.1:${port}/v1`
    const endpoint = endpointAt(baseUrl)
    const first = await ask(baseUrl, { endpoint })
    const second = await ask(baseUrl, { endpoint, messages: [...opening, { role: 'user', text: 'more' }] })
    expect([told(first), told(second)]).toMatchObject([{ text: 'answer 1' }, { text: 'answer 3' }])
    expect(second.sent.prefixSha256).toBe(first.sent.messagesSha256) // it was sent twice, and is one call
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})
