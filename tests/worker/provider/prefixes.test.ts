import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chatCompletions } from '../../../src/worker/provider/chat-completions.ts'
import type { Endpoint, ModelCall, ModelMessage, SentRequest } from '../../../src/worker/provider/model-call.ts'
import { responsesApi } from '../../../src/worker/provider/responses-api.ts'
import { SentPrefixes } from '../../../src/worker/provider/sent-prefix.ts'
import { textOfBody } from '../../../src/worker/provider/wire-api.ts'
import { sayAndStop, startFaultServer } from '../fault-server.ts'
import { aCall, ask, endpointAt, opening } from './a-call.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const none = new Set<never>()
const apis = { chat_completions: chatCompletions, responses: responsesApi }

const toolCall = fc.record({
  id: fc.string(),
  name: fc.string(),
  argumentsText: fc.oneof(fc.json(), fc.string({ unit: 'binary' })),
})
const message: fc.Arbitrary<ModelMessage> = fc.oneof(
  fc.record({ role: fc.constantFrom('system' as const, 'user' as const), text: fc.string({ unit: 'binary' }) }),
  fc.record({
    role: fc.constant('assistant' as const),
    text: fc.string({ unit: 'binary' }),
    toolCalls: fc.array(toolCall, { maxLength: 3 }),
    reasoning: fc.array(
      fc.record({
        model: fc.constantFrom('m', 'other'),
        beforeCall: fc.nat(3),
        entry: fc.jsonValue() as fc.Arbitrary<unknown>,
      }),
      { maxLength: 2 },
    ),
  }),
  fc.record({ role: fc.constant('tool' as const), callId: fc.string(), text: fc.string({ unit: 'binary' }) }),
)
const tools = [
  { name: 'read', means: 'reads', parameters: { type: 'object', properties: { path: { type: 'string' } } } },
]

describe.each(['chat_completions', 'responses'] as const)('%s', (name) => {
  const api = apis[name]
  const body = (messages: readonly ModelMessage[], parts: Partial<ModelCall> = {}) =>
    api.compose(aCall('http://127.0.0.1:1/v1', { messages, tools, ...parts }), none)

  test('the bytes of a turn go before those of the next, whatever was said and however the turns differ', () => {
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 12 }), fc.nat(), (messages, at) => {
        const cut = 1 + (at % messages.length)
        const now = body(messages.slice(0, cut), { toolChoice: 'auto' })
        const next = body(messages, {
          toolChoice: 'none',
          settings: { temperature: null, reasoning: null, maxOutputTokens: 77 },
        })
        const upTo = textOfBody({ ...now, tail: '' })
        expect(textOfBody(next).startsWith(upTo)).toBe(true)
        expect(() => JSON.parse(textOfBody(now))).not.toThrow()
        expect(JSON.parse(textOfBody(next)).tool_choice).toBe('none')
      }),
      { numRuns: 200 },
    )
  })

  test('the text of a message is made once', () => {
    const [first, second] = [body(opening), body([...opening, { role: 'user', text: 'more' }])]
    expect(second.messages[0]).toBe(first.messages[0])
  })

  test('settings and tools stand before the messages, in one order', () => {
    const settings = { temperature: 0.5, reasoning: 'low', maxOutputTokens: 9 } as const
    const { head, tail } = body(opening, { settings, toolChoice: 'none' })
    expect(head).toMatch(/^\{"model":"m","stream":true,.*"temperature":0\.5,.*low.*"tools":\[.*:\[$/)
    expect(tail).toMatch(/^\],"max_\w+":9,"tool_choice":"none"\}$/)
  })
})

describe('what was sent is on record', () => {
  const grown = (count: number): readonly ModelMessage[] => [
    ...opening,
    ...Array.from({ length: count }, (_, n): ModelMessage => ({ role: 'user', text: `word ${n} \u00e4\u{1f600}` })),
  ]

  test('the hash of what a call shares with the one before is that of all messages of the one before', async () => {
    await using server = await startFaultServer([sayAndStop('ok')])
    const endpoint = endpointAt(server.baseUrl)
    const all = grown(6)
    const sent: SentRequest[] = []
    for (const count of [2, 3, 3, 6]) {
      sent.push((await ask(server.baseUrl, { endpoint, messages: all.slice(0, count) })).sent)
    }

    const heard = server.calls.map(({ bodyText }) => bodyText)
    for (const [n, { bytes, messages, messagesSha256, prefixSha256 }] of sent.entries()) {
      const text = heard[n] ?? ''
      expect(bytes).toBe(Buffer.byteLength(text))
      expect(messages).toBe(JSON.parse(text).messages.length)
      expect(messagesSha256).toBe(sha256(text.slice(0, text.lastIndexOf(']}'))))
      if (n > 0) expect(prefixSha256).toBe(sent[n - 1]?.messagesSha256)
    }
    expect(sent[0]?.prefixSha256).toBe(sha256((heard[0] ?? '').slice(0, (heard[0] ?? '').indexOf('[') + 1)))
  })

  test('a prefix that was sent differently shows as one that is shorter', () => {
    const prefixes = new SentPrefixes()
    const [a, b, c, d] = ['"a"', '"b"', '"c"', '"d"']
    const first = prefixes.note({ head: '[', messages: [a, b], tail: ']' })
    const condensed = prefixes.note({ head: '[', messages: [a, c, d], tail: ']' })
    const other = prefixes.note({ head: '{[', messages: [a], tail: ']' })
    const back = prefixes.note({ head: '[', messages: [a, b, c], tail: ']' })

    expect(condensed.prefixSha256).toBe(sha256('["a"'))
    expect(condensed.messagesSha256).toBe(sha256('["a","c","d"'))
    expect(other.prefixSha256).toBe(sha256('{['))
    expect(back.prefixSha256).toBe(first.messagesSha256)
  })

  test('of any sequence of calls, each hash is that of its bytes', () => {
    const calls = fc.array(fc.array(fc.constantFrom('"a"', '"b"', '"c"'), { maxLength: 6 }), { maxLength: 8 })
    fc.assert(
      fc.property(calls, (list) => {
        const prefixes = new SentPrefixes()
        for (const messages of list) {
          const noted = prefixes.note({ head: '[', messages, tail: ']' })
          expect(noted.messagesSha256).toBe(sha256(`[${messages.join(',')}`))
          const shared = messages.map((_, n) => sha256(`[${messages.slice(0, n + 1).join(',')}`))
          expect([sha256('['), ...shared]).toContain(noted.prefixSha256)
        }
      }),
    )
  })

  test('a call that never left has nothing on record', async () => {
    const { sent } = await ask('http://127.0.0.1:9/v1')
    expect(sent).toEqual({ bytes: 0, messages: 2, prefixSha256: '', messagesSha256: '' })
  })
})

test('no credential and no private field is in a body, and our own headers are all that is sent besides', async () => {
  await using server = await startFaultServer([sayAndStop('ok')])
  const endpoint: Endpoint = { ...endpointAt(server.baseUrl), headers: { 'X-Gateway': 'blue', 'user-agent': 'mine' } }
  await ask(server.baseUrl, { endpoint })

  const [call] = server.calls
  expect(call?.bodyText).not.toContain('canary')
  expect(Object.keys(JSON.parse(call?.bodyText ?? '')).sort()).toEqual([
    'messages',
    'model',
    'stream',
    'stream_options',
  ])
  expect(call?.headers).toMatchObject({
    'content-type': 'application/json',
    authorization: 'Bearer',
    'x-gateway': 'blue',
    'user-agent': 'mine',
    'accept-encoding': 'identity',
  })
})

test('a prompt of 3 MB goes out whole', async () => {
  await using server = await startFaultServer([sayAndStop('ok')])
  const text = 'w\u00f6rd \u0000\u001b[31m "\\ '.repeat(200_000)
  const { sent, kind } = await ask(server.baseUrl, { messages: [{ role: 'user', text }] })
  expect(kind).toBe('reply')
  expect(server.calls[0]?.body).toMatchObject({ messages: [{ role: 'user', content: text }] })
  expect(sent.bytes).toBeGreaterThan(3_000_000)
})

test.each([
  ['', '/v1/chat/completions'],
  ['/', '/v1/chat/completions'],
  ['?api-version=2024-10-21&x=%C3%A4', '/v1/chat/completions?api-version=2024-10-21&x=%C3%A4'],
])('an address that ends with "%s" is asked at %s', async (end, path) => {
  await using server = await startFaultServer([sayAndStop('ok')])
  await ask(server.baseUrl, { endpoint: endpointAt(`${server.baseUrl}${end}`) })
  expect(server.calls.map((call) => call.path)).toEqual([path])
})

test('a server that needs no key gets none', async () => {
  await using server = await startFaultServer([sayAndStop('ok')])
  await ask(server.baseUrl, { endpoint: { ...endpointAt(server.baseUrl), apiKey: null } })
  expect(server.calls[0]?.headers.authorization).toBeUndefined()
})
