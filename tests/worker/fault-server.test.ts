import { once } from 'node:events'
import { connect } from 'node:net'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import {
  chatEvent,
  cutDocument,
  doneEvent,
  type FaultAnswer,
  gzipCut,
  refuse,
  sayAndStop,
  startFaultServer,
  streamHead,
  withByteOrderMark,
  withCrlf,
} from './fault-server.ts'

const post = (baseUrl: string, body: object, headers: Record<string, string> = {}, signal?: AbortSignal) =>
  fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { authorization: 'Bearer canary', ...headers },
    ...(signal === undefined ? {} : { signal }),
  })

describe('the fault server does to a byte what its steps say', () => {
  test('whole answers in their order, the last one for ever, and each request on record without the key', async () => {
    await using server = await startFaultServer([
      refuse(429, '{"error":"slow"}', { 'retry-after': '7' }),
      sayAndStop('hi'),
    ])

    const refused = await post(server.baseUrl, { model: 'a', messages: [{ role: 'user' }] })
    expect([refused.status, refused.headers.get('retry-after'), await refused.text()]).toEqual([
      429,
      '7',
      '{"error":"slow"}',
    ])
    for (const _ of [1, 2]) expect(await (await post(server.baseUrl, {})).text()).toContain('"hi"')

    expect(server.calls).toHaveLength(3)
    expect(server.calls[0]).toMatchObject({ method: 'POST', path: '/v1/chat/completions', model: 'a', messages: 1 })
    expect(JSON.stringify(server.calls)).not.toContain('canary')
    expect(server.calls[0]?.headers.authorization).toBe('Bearer')
  })

  test('an answer is kept for the call that it fits, by model, turn and header', async () => {
    await using server = await startFaultServer([
      { when: { model: 'b', turn: 1 }, ...sayAndStop('second of b') },
      { when: { header: ['x-task', 'T5'] }, ...sayAndStop('task') },
      { when: { model: 'a' }, ...sayAndStop('a') },
    ])
    const said = async (body: object, headers = {}) => (await post(server.baseUrl, body, headers)).text()

    expect(await said({ model: 'a' })).toContain('"a"')
    expect(await said({ model: 'b', messages: [{ role: 'user' }, { role: 'assistant' }] })).toContain('second of b')
    expect(await said({ model: 'c' }, { 'x-task': 'T5' })).toContain('task')
    expect((await post(server.baseUrl, { model: 'c' })).status).toBe(404)
  })

  test.each([
    ['a reset before any answer', [{ do: 'end', how: 'reset' }]],
    ['bytes that are no HTTP', [{ do: 'send', bytes: 'SSH-2.0-nothing\r\n' }]],
    ['a document cut at a byte', cutDocument(200, '{"a":1}', { cutTo: 3, how: 'close' }).steps],
    ['a document reset at a byte', cutDocument(200, '{"a":1}', { cutTo: 3, how: 'reset' }).steps],
  ] satisfies [string, FaultAnswer['steps']][])('%s is no answer to a client', async (_, steps) => {
    await using server = await startFaultServer([{ steps }])

    await expect(post(server.baseUrl, {}).then((answer) => answer.text())).rejects.toThrow()
    expect(await server.calls[0]?.endedBy).toBe('server')
  })

  test('a gzip body breaks off where it was told to', async () => {
    const whole = gzipSync('a text that is long enough')
    await using server = await startFaultServer([refuse(503, gzipCut('a text that is long enough', 14))])

    const bytes = Buffer.from(await (await post(server.baseUrl, {})).arrayBuffer())

    expect(bytes).toEqual(whole.subarray(0, 14))
    expect(() => gunzipSync(bytes)).toThrow()
  })

  test('a hang before the headers and one after them last until the client goes', async () => {
    await using server = await startFaultServer([
      { steps: [{ do: 'end', how: 'hang' }] },
      { steps: [streamHead(), { do: 'send', bytes: ': hello\n\n' }, { do: 'end', how: 'hang' }] },
    ])
    const gone = new AbortController()

    const never = post(server.baseUrl, {}, {}, gone.signal)
    await server.heard(1)
    gone.abort()
    await expect(never).rejects.toThrow()
    expect(await server.calls[0]?.endedBy).toBe('client')

    const begun = await post(server.baseUrl, {})
    const reader = begun.body?.getReader()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe(': hello\n\n')
    await reader?.cancel()
    expect(await server.calls[1]?.endedBy).toBe('client')
  })

  test('a drip of comments, byte by byte writes, CRLF and a byte order mark arrive as they were told', async () => {
    const events = chatEvent({ content: 'é' }) + doneEvent
    await using server = await startFaultServer([
      {
        steps: [
          streamHead(),
          { do: 'drip', bytes: ': wait\n\n', everyMs: 1, times: 3 },
          { do: 'send', bytes: withCrlf(withByteOrderMark(events)), pace: { bytes: 1, everyMs: 0 } },
        ],
      },
    ])

    const { port, hostname } = new URL(server.baseUrl)
    const socket = connect(Number(port), hostname)
    const parts: Buffer[] = []
    socket.on('data', (part: Buffer) => parts.push(part))
    socket.write('POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n')
    await once(socket, 'close')

    const [, body] = Buffer.concat(parts).toString().split('\r\n\r\n: wait') // the first comment follows the head
    expect(Buffer.concat(parts).toString()).toMatch(/^HTTP\/1\.1 200 Said\r\n/)
    expect(body).toBe(`\n\n: wait\n\n: wait\n\n\ufeff${events.replaceAll('\n', '\r\n')}`)
    expect(parts.length).toBeGreaterThan(20)
  })

  test('a server that is stopped leaves no connection and no wait behind', async () => {
    const server = await startFaultServer([{ steps: [{ do: 'wait', ms: 60_000 }] }])
    const never = post(server.baseUrl, {})
    await server.heard(1)

    await server.stop()
    await server.stop()

    await expect(never).rejects.toThrow()
  })
})
