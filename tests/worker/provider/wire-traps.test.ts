import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import {
  chatEvent,
  chunkOf,
  cutDocument,
  doneEvent,
  type FaultAnswer,
  type FaultStep,
  gzipCut,
  refuse,
  sayAndStop,
  startFaultServer,
  streamHead,
  withByteOrderMark,
  withCrlf,
} from '../fault-server.ts'
import { ask, told } from './a-call.ts'

const stream = (events: string | Uint8Array, ...after: readonly FaultStep[]): FaultAnswer => ({
  steps: [streamHead(), { do: 'send', bytes: events }, ...after],
})
const hello = chatEvent({ content: 'hello' })
const stop = chatEvent({}, 'stop')
const callPart = (index: number | undefined, id: string | undefined, name: string | undefined, args: string) =>
  chatEvent({
    tool_calls: [
      {
        ...(index === undefined ? {} : { index }),
        ...(id === undefined ? {} : { id }),
        function: { name, arguments: args },
      },
    ],
  })

async function answered(answer: FaultAnswer, parts: Parameters<typeof ask>[1] = {}) {
  await using server = await startFaultServer([answer])
  return await ask(server.baseUrl, parts)
}

describe('a 200 that is no answer is told from one', () => {
  test.each<[string, FaultAnswer, object]>([
    ['an error in a 200', refuse(200, '{"error":{"code":429,"message":"slow down"}}'), { reason: 'rate_limit' }],
    ['money in a 200', refuse(200, '{"error":{"code":"insufficient_quota","message":"x"}}'), { reason: 'billing' }],
    [
      'a page of a gateway',
      refuse(200, '<html><body>Welcome</body></html>'),
      { class: 'transient', reason: 'protocol' },
    ],
    ['an empty body', refuse(200, ''), { class: 'transient', reason: 'protocol' }],
    [
      'another protocol that nobody asked for',
      { steps: [{ do: 'send', bytes: 'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n' }] },
      { class: 'transient', reason: 'protocol' },
    ],
    [
      'another protocol, on a connection that stays open',
      {
        steps: [
          { do: 'send', bytes: 'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n' },
          { do: 'end', how: 'hang' },
        ],
      },
      { class: 'transient', reason: 'protocol' },
    ],
    ['null', refuse(200, 'null'), { phase: 'body' }],
    ['a list', refuse(200, '[]'), { phase: 'body' }],
    [
      'a document without an end',
      cutDocument(200, '{"choices":[]}'.padEnd(500), { cutTo: 9, how: 'close' }),
      { reason: 'dropped_stream' },
    ],
    [
      'a document that is cut, with its connection',
      cutDocument(200, '{"choices":[]}'.padEnd(500), { cutTo: 9, how: 'reset' }),
      { reason: 'dropped_stream' },
    ],
    ['[DONE] and nothing before it', stream(doneEvent), { class: 'transient', reason: 'protocol' }],
    ['comments, then the end', stream(': busy\n\n: busy\n\n'), { class: 'transient', reason: 'protocol' }],
    ['a compression that nobody asked for', refuse(200, 'xyz', { 'content-encoding': 'zstd' }), { reason: 'protocol' }],
    [
      'bytes that are not what they are said to be',
      refuse(200, 'no gzip at all', { 'content-encoding': 'gzip' }),
      { class: 'transient' },
    ],
    [
      'a gzip body that is cut',
      refuse(200, gzipCut(`${hello}${stop}`, 30), { 'content-encoding': 'gzip', 'content-type': 'text/event-stream' }),
      { class: 'transient', reason: 'dropped_stream' },
    ],
  ])('%s', async (_, answer, means) => {
    expect(told(await answered(answer))).toMatchObject(means)
  })

  test('a refusal without a word is told by its status, and not as one without a body', async () => {
    const result = await answered(refuse(429, '{}'))
    expect(result).toMatchObject({ fault: { message: 'HTTP 429 without a message' } })
  })

  test('a whole reply in answer to a request for a stream is a reply', async () => {
    const whole = {
      choices: [
        {
          message: {
            content: 'all of it',
            tool_calls: [{ id: 'a', type: 'function', function: { name: 'read', arguments: '{}' } }],
          },
          finish_reason: 'stop',
        },
      ],
      usage: { prompt_tokens: 5, completion_tokens: 2 },
    }
    const result = await answered(refuse(200, JSON.stringify(whole, null, 2)))

    expect(result).toMatchObject({
      kind: 'reply',
      reply: { text: 'all of it', toolCalls: [{ id: 'a', name: 'read' }], usage: { inputTokens: 5, outputTokens: 2 } },
    })
  })
})

describe('a stream that breaks is no reply, and what was said is kept', () => {
  test.each<[string, FaultAnswer, object]>([
    ['a silent end', stream(hello), { reason: 'dropped_stream', partial: 'hello', phase: 'after-output' }],
    [
      'an end with [DONE] and no finish reason',
      stream(hello + doneEvent),
      { reason: 'dropped_stream', partial: 'hello' },
    ],
    ['a finish reason of null to the end', stream(hello + chatEvent({}, null)), { reason: 'dropped_stream' }],
    ['an empty finish reason', stream(chatEvent({ content: 'a' }, '')), { reason: 'dropped_stream' }],
    [
      'a reset',
      stream(hello, { do: 'wait', ms: 20 }, { do: 'end', how: 'reset' }),
      { reason: 'dropped_stream', partial: 'hello' },
    ],
    ['an event that is no JSON', stream(`${hello}data: {"choices": [{\n\n`), { reason: 'protocol', partial: 'hello' }],
    [
      'an error with a number',
      stream(`${hello}data: {"error":{"code":503,"message":"x"}}\n\n`),
      { reason: 'overloaded', partial: 'hello' },
    ],
    [
      'an error with fields at the top',
      stream(`${hello}data: {"object":"error","message":"x","code":429}\n\n`),
      { reason: 'rate_limit' },
    ],
    [
      'an error in the choice',
      stream(
        `${hello}data: {"choices":[{"index":0,"delta":{},"error":{"code":502,"message":"x"},"finish_reason":"error"}]}\n\n`,
      ),
      { reason: 'server_error' },
    ],
    [
      'a finish reason that is an error, and nothing said of it (OpenRouter, Mistral)',
      stream(hello + chatEvent({}, 'error')),
      { class: 'transient', reason: 'server_error', partial: 'hello' },
    ],
    [
      'the same of its network (Z.ai)',
      stream(hello + chatEvent({}, 'network_error')),
      { class: 'transient', reason: 'server_error' },
    ],
    [
      'a last event that was cut, politely',
      stream(`${hello}${stop.slice(0, -12)}`),
      { reason: 'dropped_stream', partial: 'hello' },
    ],
    [
      'an error event after the finish reason',
      stream(`${hello}${stop}data: {"error":{"code":503,"message":"x"}}\n\n`),
      { reason: 'overloaded' },
    ],
    [
      'a chunk of a chunked body that never comes',
      {
        steps: [
          streamHead({ 'transfer-encoding': 'chunked' }),
          { do: 'send', bytes: chunkOf(hello) },
          { do: 'send', bytes: 'ff\r\nxx' },
        ],
      },
      { reason: 'dropped_stream', partial: 'hello' },
    ],
    [
      'a chunk whose length is no number',
      {
        steps: [
          streamHead({ 'transfer-encoding': 'chunked' }),
          { do: 'send', bytes: chunkOf(hello) },
          { do: 'wait', ms: 20 },
          { do: 'send', bytes: 'zz\r\n' },
        ],
      },
      { class: 'transient', partial: 'hello' },
    ],
  ])('%s', async (_, answer, means) => {
    expect(told(await answered(answer))).toMatchObject(means)
  })
})

describe('what no server should send and some do is lived with', () => {
  const words = 'h\u00e9llo \u{1f600}'
  const events = chatEvent({ content: words }) + stop + doneEvent

  test.each<[string, string | Uint8Array]>([
    ['lines that end with CRLF', withCrlf(events)],
    ['a byte order mark', withByteOrderMark(events)],
    ['two finish reasons: the first holds', chatEvent({ content: words }) + stop + chatEvent({}, 'length')],
    ['no [DONE]', chatEvent({ content: words }) + stop],
    ['a last event without the empty line after it', (chatEvent({ content: words }) + stop).slice(0, -1)],
    ['a last event without any line end', (chatEvent({ content: words }) + stop).slice(0, -2)],
    ['the same with CRLF', withCrlf((chatEvent({ content: words }) + stop).slice(0, -2))],
    ['a finish reason in capitals', chatEvent({ content: words }) + chatEvent({}, 'STOP')],
    ['an end that has another name (Together)', chatEvent({ content: words }) + chatEvent({}, 'eos')],
    [
      'a whole message in an event',
      `data: ${JSON.stringify({ choices: [{ message: { content: words }, finish_reason: 'stop' }] })}\n\n`,
    ],
    ['text after [DONE]', `${events}data: what is this\n\n`],
    [
      'comments, pings and chunks of no kind between',
      `: hi\n\nevent: ping\ndata: {"type":"ping"}\n\ndata: null\n\ndata: 7\n\n${events}`,
    ],
    ['content in parts', chatEvent({ content: [{ type: 'text', text: words }] }) + stop],
    ['fields of the wrong type', chatEvent({ content: 5, tool_calls: 'no', refusal: {} }) + events],
  ])('%s', async (_, bytes) => {
    expect(told(await answered(stream(bytes)))).toEqual({ text: words, finish: 'stop' })
  })

  test('a character that is cut in the middle, byte by byte', async () => {
    const answer: FaultAnswer = {
      steps: [streamHead(), { do: 'send', bytes: withByteOrderMark(events), pace: { bytes: 1, everyMs: 0 } }],
    }
    expect(told(await answered(answer))).toEqual({ text: words, finish: 'stop' })
  })

  test('a body that is compressed all the same', async () => {
    const answer = refuse(200, gzipSync(events), { 'content-encoding': 'gzip', 'content-type': 'text/event-stream' })
    expect(told(await answered(answer))).toEqual({ text: words, finish: 'stop' })
  })

  test('a refusal that is compressed is read, too', async () => {
    const body = gzipSync('{"error":{"code":"insufficient_quota","message":"pay"}}')
    expect(told(await answered(refuse(429, body, { 'content-encoding': 'gzip' })))).toMatchObject({ reason: 'billing' })
  })

  test('usage in a chunk of its own, and nothing where none came', async () => {
    const usage = `data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":4}}}\n\n`
    expect(await answered(sayAndStop('x', usage))).toMatchObject({
      reply: { usage: { inputTokens: 9, cachedTokens: 4, outputTokens: 3 } },
    })
    expect(await answered(sayAndStop('x'))).toMatchObject({ reply: { usage: null } })
  })

  test('a connection that is reset after the finish reason takes nothing from the reply', async () => {
    const answer = stream(hello + stop, { do: 'wait', ms: 20 }, { do: 'end', how: 'reset' })
    expect(told(await answered(answer))).toEqual({ text: 'hello', finish: 'stop' })
  })

  test('a stream that is never closed after its finish reason is not waited for', async () => {
    const usage = 'data: {"choices":[],"usage":{"prompt_tokens":9}}\n\n'
    const answer = stream(hello + stop + usage + doneEvent, { do: 'end', how: 'hang' })
    expect(told(await answered(answer))).toEqual({ text: 'hello', finish: 'stop' })
  })
})

describe('tool calls are put together whatever their numbers say', () => {
  const finish = chatEvent({}, 'tool_calls')
  const calls = async (events: string) => {
    const result = await answered(stream(events + finish))
    return result.kind === 'reply'
      ? result.reply.toolCalls.map((call) => [call.id, call.name, call.argumentsText])
      : result
  }

  test('gaps between the indexes are closed, in their order', async () => {
    expect(await calls(callPart(4, 'b', 'write', '{}') + callPart(0, 'a', 'read', '{}'))).toEqual([
      ['a', 'read', '{}'],
      ['b', 'write', '{}'],
    ])
  })

  test('the same id twice, and no id at all: each call gets its own', async () => {
    const many = [
      callPart(0, 'call_1', 'a', ''),
      callPart(1, 'call_1', 'b', ''),
      callPart(2, '', 'c', ''),
      callPart(3, undefined, 'd', ''),
    ]
    const ids = ((await calls(many.join(''))) as string[][]).map(([id]) => id)
    expect(ids[0]).toBe('call_1')
    expect(new Set(ids).size).toBe(4)
  })

  test('one index for several calls', async () => {
    const parts = [
      callPart(0, 'a', 'read', '{"x"'),
      callPart(0, undefined, undefined, ':1}'),
      callPart(0, 'b', 'write', '{"y"'),
      callPart(0, undefined, undefined, ':2}'),
    ]
    expect(await calls(parts.join(''))).toEqual([
      ['a', 'read', '{"x":1}'],
      ['b', 'write', '{"y":2}'],
    ])
  })

  test('no index: a call begins with its name', async () => {
    const parts = [
      callPart(undefined, 'a', 'read', '{"x"'),
      callPart(undefined, undefined, undefined, ':1}'),
      callPart(undefined, 'b', 'write', '{}'),
    ]
    expect(await calls(parts.join(''))).toEqual([
      ['a', 'read', '{"x":1}'],
      ['b', 'write', '{}'],
    ])
  })

  test('arguments that are cut in the middle of a character', async () => {
    const text = JSON.stringify({ path: '\u00e4\u00f6\u00fc\u{1f600}' })
    const bytes = Buffer.from(callPart(0, 'a', 'write', text) + finish)
    const result = await answered({ steps: [streamHead(), { do: 'send', bytes, pace: { bytes: 3, everyMs: 0 } }] })
    expect(result).toMatchObject({ reply: { toolCalls: [{ argumentsText: text }] } })
  })

  test('the name and the id said again with each piece', async () => {
    expect(await calls(callPart(0, 'a', 'read', '{') + callPart(0, 'a', 'read', '}'))).toEqual([['a', 'read', '{}']])
  })

  test('200 calls in one reply', async () => {
    const parts = Array.from({ length: 200 }, (_, n) => callPart(n, `c${n}`, 'read', '{}'))
    expect(await calls(parts.join(''))).toHaveLength(200)
  })
})
