import { beforeAll, describe, expect, test } from 'vitest'
import { byHand, rehearse, requireFreshBuild } from './chat-worker.ts'
import { faultFixtures } from './provider/faults/fixtures/fault-fixtures.ts'

beforeAll(requireFreshBuild)

const once = ['-q', 'go', '--retries', '0']

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

describe('a real worker means what the classifier says: bytes in, exit code and report out', () => {
  const named = ['OpenAI quota', '402', 'wrong key', '403', 'unknown model', 'overflow by code', 'HTML inside a 200']
  const some = faultFixtures.filter(
    ({ name }) => named.includes(name) || /502|overloaded$|inside a 200, r|redirect/.test(name),
  )

  test.each(some)('$name', async (fixture) => {
    const { status, headers = {}, body } = fixture
    await using yard = await byHand((_, response) => void response.writeHead(status, headers).end(body))

    const ended = await yard.boardWorker(once).ended

    expect(ended.code).toBe(fixture.exit)
    expect(yard.report()).toMatchObject({
      status: fixture.exit === 75 ? 'wall' : 'failed',
      reason: fixture.means[1],
      needsHuman: fixture.needsHuman ?? null,
    })
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
  ])('%s', async (_, fault, reason) => {
    await using yard = await rehearse(always(fault))
    const limits = ['--first-byte-timeout', '300ms', '--idle-timeout', '300ms']

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

    const ended = await yard.boardWorker([...once, '--call-timeout', '400ms', '--idle-timeout', '10s']).ended

    expect(ended.code).toBe(75)
    expect(yard.report()).toMatchObject({ reason: 'timeout', message: expect.stringContaining('whole call') })
  })

  test('a slow answer is waited for as long as events come', async () => {
    await using yard = await rehearse('plays: [{ turns: [{ say: "slow but steady, word by word", pace: 150ms }] }]')

    const ended = await yard.boardWorker([...once, '--idle-timeout', '600ms']).ended

    expect(ended).toMatchObject({ code: 0, stdout: 'slow but steady, word by word\n' })
  })
})

describe('bytes on the wire that no provider should send', () => {
  const chunk = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}`
  const sse = { 'content-type': 'text/event-stream' }

  test('a byte order mark, CRLF line ends, two finish reasons and no [DONE] are lived with', async () => {
    const lines = [chunk({ content: 'héllo' }), chunk({}, 'stop'), chunk({}, 'length')]
    await using yard = await byHand((_, response) => {
      response.writeHead(200, sse)
      const bytes = Buffer.from(`\ufeff${lines.join('\r\n\r\n')}\r\n\r\n`)
      for (const byte of bytes) response.write(Buffer.from([byte])) // also cuts the é in two
      response.end()
    })

    expect(await yard.person(once).ended).toMatchObject({ code: 0, stdout: 'héllo\n' })
  })

  test('tool calls with gaps in their numbers and the same id get their own results', async () => {
    const bodies: string[] = []
    await using yard = await byHand((request, response) => {
      let body = ''
      request.on('data', (text) => (body += text)).on('end', () => bodies.push(body))
      const call = (index: number, path: string) => ({
        tool_calls: [{ index, id: 'same', function: { name: 'read', arguments: JSON.stringify({ path }) } }],
      })
      const first = [chunk(call(0, 'a')), chunk(call(4, 'b')), chunk({}, 'tool_calls')]
      const lines =
        bodies.length === 0 && !body.includes('tool_call_id') ? first : [chunk({ content: 'ok' }), chunk({}, 'stop')]
      request.on('end', () => {
        const answer = body.includes('tool_call_id') ? [chunk({ content: 'ok' }), chunk({}, 'stop')] : lines
        response.writeHead(200, sse).end(`${answer.join('\n\n')}\n\n`)
      })
    })

    expect((await yard.person(once).ended).code).toBe(0)
    const { messages } = JSON.parse(bodies.at(-1) ?? '{}') as { messages: { tool_call_id?: string }[] }
    expect(messages.flatMap(({ tool_call_id }) => tool_call_id ?? [])).toEqual(['same', 'call_4'])
  })

  test('a refusal whose body never ends is still a refusal', async () => {
    await using yard = await byHand((_, response) => {
      response.writeHead(401)
      const text = 'x'.repeat(65_536)
      const more = () => {
        while (!response.destroyed && response.write(text));
        response.once('drain', more)
      }
      more()
    })

    expect((await yard.boardWorker(once).ended).code).toBe(1)
    expect(yard.report()).toMatchObject({ reason: 'auth', needsHuman: 'access' })
  })

  test('a connection that is reset before any answer is a wall', async () => {
    await using yard = await byHand((request) => request.socket.resetAndDestroy())

    expect((await yard.boardWorker(once).ended).code).toBe(75)
    expect(yard.report()).toMatchObject({ reason: 'unreachable' })
  })

  test('a whole document that is cut in the middle is a wall', async () => {
    await using yard = await byHand((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' })
      response.write('{"choices": [{"message": {"content": "half', () => response.destroy())
    })

    expect((await yard.boardWorker(once).ended).code).toBe(75)
    expect(yard.report()).toMatchObject({ reason: 'dropped_stream' })
  })
})

test('C70: words of the task or of an output never decide what an end means', async () => {
  await using yard = await rehearse(`
plays:
  - turns:
      - say: timeout 503
        call: [{ tool: terminal, with: { command: "echo 429 rate limit quota auth insufficient_quota; exit 75" } }]
      - { say: "rate limit exceeded, billing, 429", finish: length }
`)

  expect((await yard.boardWorker(['-q', '403 Forbidden quota auth author']).ended).code).toBe(1)
  expect(yard.report()).toMatchObject({ reason: 'output_truncated', needsHuman: null })
})
