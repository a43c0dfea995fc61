import { beforeAll, describe, expect, test } from 'vitest'
import { planLimits, wholeCallMs } from '../../../src/worker/provider/call-limits.ts'
import { isLocalHost } from '../../../src/worker/provider/local-host.ts'
import { parseTimeout } from '../../../src/worker/provider/timeout-value.ts'
import { chatEvent, doneEvent, type FaultStep, sayAndStop, startFaultServer, streamHead } from '../fault-server.ts'
import { ask } from './a-call.ts'

const long = { firstByteMs: 60_000, firstEventMs: 60_000, idleMs: 60_000, wholeCallMs: 60_000 }
const hang: FaultStep = { do: 'end', how: 'hang' }
const drip = (bytes: string): FaultStep => ({ do: 'drip', bytes, everyMs: 10, times: 'for_ever' })
const said = (text: string): FaultStep => ({ do: 'send', bytes: chatEvent({ content: text }) })

/** The first call loads and compiles what all of them need; a limit of a moment would be over by then. */
beforeAll(async () => {
  await using server = await startFaultServer([sayAndStop('warm')])
  await ask(server.baseUrl)
})

describe('each limit of a call has its own flag', () => {
  test.each<[string, readonly FaultStep[], object, string, string]>([
    ['no headers: first byte', [hang], { ...long, firstByteMs: 300 }, 'for the first byte', ''],
    ['headers and silence: first event', [streamHead(), hang], { ...long, firstEventMs: 60 }, 'for the first one', ''],
    [
      'only comments: first event',
      [streamHead(), drip(': busy\n\n')],
      { ...long, firstEventMs: 60 },
      'for the first one',
      '',
    ],
    [
      'only chunks without words: first event',
      [streamHead(), drip(chatEvent({ role: 'assistant', content: '' }))],
      { ...long, firstEventMs: 60 },
      'for the first one',
      '',
    ],
    ['words and silence: idle', [streamHead(), said('a'), hang], { ...long, idleMs: 60 }, 'idle', 'a'],
    ['words and comments: idle', [streamHead(), said('a'), drip(': busy\n\n')], { ...long, idleMs: 60 }, 'idle', 'a'],
    [
      'words and empty chunks: idle',
      [streamHead(), said('a'), drip(chatEvent({}))],
      { ...long, idleMs: 60 },
      'idle',
      'a',
    ],
    [
      'words for ever: whole call',
      [streamHead(), drip(chatEvent({ content: 'a' }))],
      { ...long, wholeCallMs: 1_500 },
      'whole call',
      'a',
    ],
    [
      'a body that stalls and is no stream: first event',
      [
        { do: 'head', status: 200, headers: { 'content-type': 'application/json', 'content-length': '50' } },
        { do: 'send', bytes: '{"choices"' },
        hang,
      ],
      { ...long, firstEventMs: 60 },
      'for the first one',
      '',
    ],
  ])('%s', async (_, steps, limits, names, partial) => {
    await using server = await startFaultServer([{ steps }])
    const result = await ask(server.baseUrl, { limits })

    expect(result).toMatchObject({ kind: 'fault', fault: { class: 'transient', reason: 'timeout' } })
    if (result.kind !== 'fault') return
    expect(result.fault.message).toContain(names)
    expect(result.partialText.slice(0, 1)).toBe(partial)
    expect(await server.calls[0]?.endedBy).toBe('client')
  })

  test.each<[string, object]>([
    ['text', { content: 'a' }],
    ['reasoning', { reasoning_content: 'hm' }],
    ['reasoning under its other name', { reasoning: 'hm' }],
    ['a piece of a tool call', { tool_calls: [{ index: 0, id: 'a', function: { name: 'read', arguments: '{' } }] }],
  ])('%s feeds them', async (_, delta) => {
    const slow: FaultStep = { do: 'drip', bytes: chatEvent(delta), everyMs: 100, times: 13 }
    await using server = await startFaultServer([
      { steps: [streamHead(), slow, { do: 'send', bytes: chatEvent({}, 'stop') + doneEvent }] },
    ])
    expect((await ask(server.baseUrl, { limits: { ...long, firstEventMs: 1_200, idleMs: 1_200 } })).kind).toBe('reply')
  })

  test('a finish reason with every chunk does not end the answer before its end', async () => {
    const slow: FaultStep = { do: 'drip', bytes: chatEvent({ content: 'a' }, 'stop'), everyMs: 100, times: 35 }
    await using server = await startFaultServer([{ steps: [streamHead(), slow] }])
    const result = await ask(server.baseUrl, { limits: long })
    expect(result).toMatchObject({ kind: 'reply', reply: { text: 'a'.repeat(35) } })
  })

  test('and one that goes on for ever with it is no answer', async () => {
    await using server = await startFaultServer([{ steps: [streamHead(), drip(chatEvent({ content: 'a' }, 'stop'))] }])
    const result = await ask(server.baseUrl, { limits: { ...long, wholeCallMs: 200 } })
    expect(result).toMatchObject({ kind: 'fault', fault: { reason: 'timeout' } })
  })

  test('a stop is told from a watchdog, before and in the middle of an answer', async () => {
    for (const steps of [[hang], [streamHead(), said('half'), hang]]) {
      await using server = await startFaultServer([{ steps }])
      const stopped = new AbortController()
      const result = ask(server.baseUrl, { signal: stopped.signal })
      await server.heard(1)
      stopped.abort()
      expect(await result).toMatchObject({ kind: 'fault', fault: { class: 'interrupted', reason: 'interrupted' } })
    }
  })

  test('a refusal is known by its status: its words are waited for a moment, and no watchdog speaks', async () => {
    const head: FaultStep = { do: 'head', status: 401, headers: { 'content-length': '50' } }
    await using server = await startFaultServer([{ steps: [head, { do: 'send', bytes: 'who are you' }, hang] }])
    const result = await ask(server.baseUrl, { limits: { ...long, firstEventMs: 1, idleMs: 1, wholeCallMs: 2_000 } })
    expect(result).toMatchObject({ fault: { class: 'needs_human', reason: 'auth', message: 'who are you' } })
  })

  test('a call that is stopped before it begins asks nobody', async () => {
    await using server = await startFaultServer([{ steps: [hang] }])
    const result = await ask(server.baseUrl, { signal: AbortSignal.abort() })
    expect(result).toMatchObject({ fault: { class: 'interrupted' }, sent: { bytes: 0 } })
    expect(server.calls).toHaveLength(0)
  })

  test('time and budget of the run end it with their own words', async () => {
    await using server = await startFaultServer([{ steps: [hang] }])
    for (const because of ['run', 'budget']) {
      const result = await ask(server.baseUrl, { signal: AbortSignal.abort(because) })
      expect(result).toMatchObject({ kind: 'fault' })
      if (result.kind === 'fault') expect(result.fault.class).not.toBe('interrupted')
    }
  })

  test('a call does not outlive its run', async () => {
    await using server = await startFaultServer([{ steps: [streamHead(), hang] }])
    const result = await ask(server.baseUrl, { limits: long, runLeftMs: () => 200 })
    expect(result).toMatchObject({ fault: { reason: 'timeout', message: expect.stringContaining('whole call') } })
  })

  test('nothing of them is left when an answer was quick', async () => {
    await using server = await startFaultServer([
      { steps: [streamHead(), said('a'), { do: 'send', bytes: chatEvent({}, 'stop') }] },
    ])
    const before = process.getActiveResourcesInfo().filter((what) => what === 'Timeout').length
    expect((await ask(server.baseUrl, { limits: long })).kind).toBe('reply')
    expect(process.getActiveResourcesInfo().filter((what) => what === 'Timeout').length).toBeLessThanOrEqual(before)
  })
})

describe('how long a call may take', () => {
  const remote = { baseUrl: 'https://api.example.com/v1', reasoning: null, runLeftMs: null }
  const s = (limits: object) => Object.values(limits).map((ms: number) => ms / 1_000)

  test('grows with the conversation', () => {
    for (const [contextTokens, expected] of [
      [0, [120, 90, 180, 900]],
      [50_000, [120, 90, 180, 900]],
      [50_001, [120, 150, 240, 900]],
      [100_000, [120, 150, 240, 900]],
      [100_001, [120, 240, 300, 900]],
    ] as const) {
      expect(s(planLimits({}, { ...remote, contextTokens }))).toEqual(expected)
    }
  })

  test('and where the model is told to think long, which it may do in silence', () => {
    expect(s(planLimits({}, { ...remote, reasoning: 'high', contextTokens: 0 }))).toEqual([120, 240, 300, 900])
  })

  test("is longer on a machine of one's own, except as a whole", () => {
    const local = { ...remote, baseUrl: 'http://127.0.0.1:8080/v1', contextTokens: 0 }
    expect(s(planLimits({}, local))).toEqual([600, 450, 900, 900])
  })

  test('is what was asked for, wherever and however large', () => {
    const asked = { firstByteMs: 1, firstEventMs: 2, idleMs: 3, wholeCallMs: 4 }
    const local = { ...remote, baseUrl: 'http://localhost/v1', contextTokens: 200_000 }
    expect(planLimits(asked, local)).toEqual(asked)
  })

  test('leaves a run 30 s for its last words', () => {
    expect(wholeCallMs(null, null)).toBe(900_000)
    expect(wholeCallMs(null, 3_600_000)).toBe(900_000)
    expect(wholeCallMs(null, 150_000)).toBe(120_000)
    expect(wholeCallMs(60_000, 100_000)).toBe(60_000)
    expect(wholeCallMs(null, 120_000)).toBe(90_000)
    expect(wholeCallMs(null, 30_000)).toBe(22_500) // the last words themselves
    expect(wholeCallMs(null, 0)).toBe(1)
  })
})

test.each<[boolean, string]>([
  [true, 'localhost 127.0.0.1 127.9.9.9 10.1.2.3 172.16.0.1 172.31.0.1 192.168.1.1 169.254.1.1 100.64.0.1 0.0.0.0'],
  [
    true,
    '[::1] [fd00::1] [fe80::1] [::ffff:127.0.0.1] [::ffff:192.168.0.1] ollama gpu.local x.localhost LOCALHOST. a.home.arpa',
  ],
  [
    false,
    'api.openai.com 8.8.8.8 172.32.0.1 172.15.0.1 192.169.1.1 100.128.0.1 11.0.0.1 [2001:db8::1] [::ffff:8.8.8.8]',
  ],
  [false, '127.0.0.1.example.com localhost.example.com 10.example.com'],
])('own network is %s of %s', (expected, hosts) => {
  for (const host of hosts.split(' '))
    expect([host, isLocalHost(new URL(`http://${host}/`).hostname)]).toEqual([host, expected])
})

describe('a time limit is a number of milliseconds that a timer can hold', () => {
  test.each<[string, unknown]>([
    ['0', 0],
    ['-0', -0],
    ['less than nothing', -1],
    ['no number', Number.NaN],
    ['without an end', Number.POSITIVE_INFINITY],
    ['without a beginning', Number.NEGATIVE_INFINITY],
    ['longer than a timer', 2 ** 31],
    ['true', true],
    ['false', false],
    ['a text', '5'],
    ['null', null],
    ['nothing', undefined],
    ['a list', [5]],
  ])('%s is refused', (_, value) => {
    expect(parseTimeout(value)).toMatchObject({ ok: false, why: expect.any(String) })
  })

  test('any other is taken as it is', () => {
    for (const ms of [1, 0.5, 120_000, 2 ** 31 - 1]) expect(parseTimeout(ms)).toEqual({ ok: true, ms })
  })

  test('a call with another one is refused as the fault of its caller', async () => {
    for (const idleMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, true as unknown as number]) {
      await expect(ask('http://127.0.0.1:9/v1', { limits: { ...long, idleMs } })).rejects.toThrow(/idleMs/)
    }
  })
})
