import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { Rehearsed, rehearse, requireFreshBuild } from './chat-worker.ts'
import {
  chatEvent,
  cutDocument,
  doneEvent,
  type FaultAnswer,
  refuse,
  sayAndStop,
  startFaultServer,
  streamHead,
  withByteOrderMark,
  withCrlf,
} from './fault-server.ts'
import { error } from './provider/faults/fixtures/fixture.ts'

beforeAll(requireFreshBuild)

const once = ['-q', 'go', '--retries', '0']

/** A provider that answers to the byte, and workers that ask it. */
async function faulty(answers: readonly FaultAnswer[]): Promise<Rehearsed> {
  const server = await startFaultServer(answers)
  return new Rehearsed({ baseUrl: server.baseUrl, stop: server.stop, calls: server.calls as never })
}

/** One turn that meets this fault whenever it is asked. */
const always = (fault: string) =>
  `plays: [{ turns: [{ say: a longer answer in words, faults: [{ ${fault}, times: always }] }] }]`

describe('a wall ends a board worker with 75 and says in its report until when', () => {
  test('C47: through all retries, with exactly the arguments of the dispatcher', async () => {
    await using yard = await rehearse(always('kind: status, status: 429, retry_after: 0.2'))
    const before = Date.now()

    const ended = await yard.person([
      ...['-q', 'Work on task T5, described in the prompt file.', '--prompt-file', '/dev/null'].slice(0, 2),
      ...['--report', yard.reportFile, '--run', 'R981', '--fence', '7'],
    ]).ended

    expect(ended).toMatchObject({ code: 75, stdout: '' })
    expect(yard.calls).toHaveLength(3)
    const report = yard.report()
    expect(report).toMatchObject({
      status: 'wall',
      reason: 'rate_limit',
      needsHuman: null,
      served: false,
      result: null,
    })
    expect(Date.parse(report.retryAt ?? '')).toBeGreaterThan(before + 600)
    expect(Date.parse(report.retryAt ?? '')).toBeLessThanOrEqual(Date.now() + 200)
  })

  test('and a person with 1, since nobody would try again', async () => {
    await using yard = await rehearse(always('kind: status, status: 429'))

    const ended = await yard.person(once).ended

    expect(ended.code).toBe(1)
    expect(ended.stderr.trimEnd().split('\n').at(-1)).toBe(
      'chat: try later: rate_limit: Rate limit reached for requests (HTTP 429, rate_limit_exceeded)',
    )
  })

  test('a short wait that the provider asks for is waited for in the worker, at no cost', async () => {
    await using yard = await rehearse(
      'plays: [{ turns: [{ say: served, faults: [{ kind: status, status: 429, retry_after: 0.3 }, { kind: status, status: 503 }] }] }]',
    )
    const before = Date.now()

    expect((await yard.boardWorker(['-q', 'go']).ended).code).toBe(0)
    expect(Date.now() - before).toBeGreaterThanOrEqual(300)
    expect(yard.report()).toMatchObject({ status: 'completed', served: true })
  })

  test('a longer one is not: the worker gives its slot back at once', async () => {
    await using yard = await rehearse(always('kind: status, status: 429, retry_after: 3600'))

    expect((await yard.boardWorker(['-q', 'go']).ended).code).toBe(75)

    expect(yard.calls).toHaveLength(1)
    expect(Date.parse(yard.report().retryAt ?? '')).toBeGreaterThan(Date.now() + 3_500_000)
  })
})

describe('a stream that goes wrong is no answer', () => {
  test.each([
    ['headers that never come', 'kind: no_headers', 'timeout'],
    ['a stall after some text', 'kind: stall, after: 2', 'timeout'],
    ['a stall before any event', 'kind: stall, after: 0', 'timeout'],
    ['comments that keep the connection alive and say nothing', 'kind: drip, after: 0', 'timeout'],
    ['comments after some text', 'kind: drip, after: 2', 'timeout'],
    ['a cut connection', 'kind: cut, after: 2', 'dropped_stream'],
    ['a cut before any event', 'kind: cut, after: 0', 'dropped_stream'],
    ['an end without a finish reason', 'kind: unfinished, after: 2', 'dropped_stream'],
    ['no event at all', 'kind: empty', 'protocol'],
    ['an event that is no JSON', 'kind: malformed, after: 2', 'protocol'],
    ['an error with a number as its code', 'kind: error_event, error: { code: 429, message: x }', 'rate_limit'],
    ['an overload in mid-stream', 'kind: error_event, error: { type: overloaded_error }', 'overloaded'],
  ])('%s', { concurrent: true }, async (_, fault, reason) => {
    await using yard = await rehearse(always(fault))
    // Only where they are to fire: a busy machine may need longer than that for anything.
    const watched = reason === 'timeout' ? ['first-byte', 'first-event', 'idle'] : []
    const limits = watched.flatMap((name) => [`--${name}-timeout`, '300ms'])

    const ended = await yard.boardWorker([...once, ...limits]).ended

    expect(ended).toMatchObject({ code: 75, stdout: '' })
    expect(yard.report()).toMatchObject({ status: 'wall', reason, served: false })
  })

  test('an error in mid-stream that is about money is told as that', async () => {
    await using yard = await rehearse(always('kind: error_event, error: { code: insufficient_quota, message: x }'))

    expect((await yard.boardWorker(once).ended).code).toBe(75)
    expect(yard.report()).toMatchObject({ reason: 'billing', needsHuman: 'money' })
  })

  test('a dropped stream is asked for again, and the text that was lost is not in the answer', async () => {
    await using yard = await rehearse(
      'plays: [{ turns: [{ say: one whole answer, faults: [{ kind: cut, after: 2, times: 2 }] }] }]',
    )

    expect(await yard.boardWorker(['-q', 'go']).ended).toMatchObject({ code: 0, stdout: 'one whole answer\n' })
    expect(yard.calls).toHaveLength(3)
  })

  test('what the model had said when its stream was cut is kept in the report', async () => {
    await using yard = await rehearse(always('kind: cut, after: 2'))

    await yard.boardWorker(once).ended

    expect(yard.report()).toMatchObject({ result: 'a longer ans' })
  })

  test('an answer that drips for ever is ended by the limit of a whole call', async () => {
    await using yard = await rehearse(`plays: [{ turns: [{ say: "${'word '.repeat(500)}", pace: 20ms }] }]`)

    const ended = await yard.boardWorker([...once, '--call-timeout', '2s', '--idle-timeout', '60s']).ended

    expect(ended.code).toBe(75)
    expect(yard.report()).toMatchObject({ reason: 'timeout', message: expect.stringContaining('whole call') })
  })

  test('a slow answer is waited for as long as events come', async () => {
    await using yard = await rehearse('plays: [{ turns: [{ say: "slow but steady, word by word", pace: 600ms }] }]')

    const ended = await yard.boardWorker([...once, '--idle-timeout', '3s']).ended

    expect(ended).toMatchObject({ code: 0, stdout: 'slow but steady, word by word\n' })
  })
})

describe('bytes on the wire that no provider should send', () => {
  const send = (bytes: string, how: 'close' | 'reset' = 'close'): FaultAnswer => ({
    steps: [streamHead(), { do: 'send', bytes }, { do: 'end', how }],
  })
  const some = (count: number) => Array.from({ length: count }, (_, n) => chatEvent({ content: `${n} ` })).join('')

  test.concurrent.each<[string, FaultAnswer, string]>([
    ['a reset before any answer', { steps: [{ do: 'end', how: 'reset' }] }, 'unreachable'],
    ['an end before any answer', { steps: [] }, 'unreachable'],
    ['no HTTP at all', { steps: [{ do: 'send', bytes: 'SSH-2.0-nothing\r\n' }] }, 'protocol'],
    ['a document that is cut', cutDocument(200, '{"choices":[]}', { cutTo: 5, how: 'close' }), 'dropped_stream'],
    ['a document that is reset', cutDocument(200, '{"choices":[]}', { cutTo: 5, how: 'reset' }), 'dropped_stream'],
    ['comments and nothing else', send(': a\n\n: b\n\n'), 'protocol'],
    ['[DONE] without content', send(doneEvent), 'protocol'],
    [
      'an error event after 40 tokens',
      send(`${some(40)}data: ${error({ code: 529, message: 'x' })}\n\n`),
      'overloaded',
    ],
    ['40 tokens and a reset', send(some(40), 'reset'), 'dropped_stream'],
    ['40 tokens and an end, no finish reason', send(some(40) + doneEvent), 'dropped_stream'],
  ])('%s is a wall', async (_, answer, reason) => {
    await using yard = await faulty([answer])

    const ended = await yard.boardWorker(once).ended

    expect(ended).toMatchObject({ code: 75, stdout: '' })
    expect(yard.report()).toMatchObject({ status: 'wall', reason, needsHuman: null, error: { reason, attempt: 1 } })
  })

  test('a byte order mark, CRLF line ends, two finish reasons and no [DONE], byte by byte, are lived with', async () => {
    const events = [chatEvent({ content: 'héllo' }), chatEvent({}, 'stop'), chatEvent({}, 'length')].join('')
    const bytes = withCrlf(withByteOrderMark(events))
    await using yard = await faulty([{ steps: [streamHead(), { do: 'send', bytes, pace: { bytes: 1, everyMs: 0 } }] }])

    expect(await yard.person(once).ended).toMatchObject({ code: 0, stdout: 'héllo\n' })
  })

  test('a refusal whose body never ends is still a refusal', async () => {
    await using yard = await faulty([
      {
        steps: [
          { do: 'head', status: 401 },
          { do: 'drip', bytes: 'x'.repeat(16_384), everyMs: 0, times: 'for_ever' },
        ],
      },
    ])

    expect((await yard.boardWorker(once).ended).code).toBe(1)
    expect(yard.report()).toMatchObject({ reason: 'auth', needsHuman: 'access' })
  })
})

describe('a provider that cannot be reached', () => {
  const nowhere = (baseUrl: string) => new Rehearsed({ baseUrl, stop: async () => {}, calls: [] })

  test.concurrent.each([
    ['nobody listens', 'http://127.0.0.1:9/v1', 75, 'unreachable', null],
    ['nobody has that name', `http://${'x'.repeat(70)}.test/v1`, 75, 'dns', null],
  ])('%s: a wall', async (_, baseUrl, code, reason, needsHuman) => {
    await using yard = nowhere(baseUrl)

    expect((await yard.boardWorker(once).ended).code).toBe(code)
    expect(yard.report()).toMatchObject({
      reason,
      needsHuman,
      error: { phase: 'connect', status: null, rawHead: null },
    })
  })

  test('a name that nobody had in the attempt before either needs a person', async () => {
    const baseUrl = `http://${'x'.repeat(70)}.test/v1`
    await using yard = nowhere(baseUrl)
    const settings = join(yard.folder, 'chat.json')
    writeFileSync(settings, JSON.stringify({ schema: 1, models: ['m'], baseUrl, lastReason: 'dns' }))

    expect((await yard.boardWorker([...once, '--settings', settings]).ended).code).toBe(1)
    expect(yard.report()).toMatchObject({ status: 'failed', reason: 'dns', needsHuman: 'access' })
  })

  test('https asked of a server that speaks http needs a person, and the key has not left', async () => {
    const server = await startFaultServer([sayAndStop('hi')])
    await using yard = new Rehearsed({
      baseUrl: server.baseUrl.replace('http:', 'https:'),
      stop: server.stop,
      calls: [],
    })

    expect((await yard.boardWorker(once).ended).code).toBe(1)
    expect(yard.report()).toMatchObject({ reason: 'tls', needsHuman: 'access' })
    expect(server.calls).toEqual([])
  })
})

describe('what nobody has seen before counts, and can be looked at', () => {
  test('its raw body is in the report, masked and cut, and its checksum', async () => {
    const secret = ['sk', 'proj', 'Zx81Qw92Er73Ty64Ui55Op46As37Df28'].join('-')
    const body = error({ code: 'gremlins', message: 'odd', seen: secret, more: 'm'.repeat(5_000) })
    await using yard = await faulty([refuse(200, body)])

    expect((await yard.boardWorker(once).ended).code).toBe(1)
    const report = yard.report()
    expect(report).toMatchObject({ status: 'failed', reason: 'unknown', needsHuman: null })
    expect(report.error).toMatchObject({ class: 'failed', status: 200, code: 'gremlins', phase: 'body' })
    expect(report.error?.rawSha256).toMatch(/^[0-9a-f]{64}$/)
    expect(report.error?.rawHead).toContain('"code":"gremlins"')
    expect(report.error?.rawHead?.length).toBeLessThanOrEqual(2_048)
    expect(yard.file('report.json')).not.toContain(secret)
  })
})
