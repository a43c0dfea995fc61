import { describe, expect, test } from 'vitest'
import { systemClock } from '../../../src/kernel/index.ts'
import { parseScenario, type RecordedCall, startRehearsalServer } from '../../../src/worker/index.ts'
import { callModel } from '../../../src/worker/provider/call-model.ts'
import type { Endpoint, ModelMessage } from '../../../src/worker/provider/model-call.ts'
import type { ModelReply } from '../../../src/worker/provider/reply.ts'
import { type FaultStep, refuse, startFaultServer, streamHead } from '../fault-server.ts'
import { aCall, ask, endpointAt, opening, told } from './a-call.ts'

const event = (type: string, fields: object = {}) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
const created = event('response.created', { response: { status: 'in_progress' } })
const completed = (output: readonly object[], fields: object = {}) =>
  event('response.completed', { response: { status: 'completed', output, ...fields } })
const message = (text: string) => ({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] })

async function answered(events: string, ...after: readonly FaultStep[]) {
  await using server = await startFaultServer([{ steps: [streamHead(), { do: 'send', bytes: events }, ...after] }])
  return await ask(server.baseUrl, { endpoint: endpointAt(server.baseUrl, 'responses') })
}

describe('the same play is the same conversation on both interfaces', () => {
  const script = `
plays:
  - turns:
      - think: I have to look first, and that takes a while.
        say: I look at two files now.
        call: [{ tool: read, with: { path: a } }, { tool: read, with: "not {json" }]
      - { call: [{ tool: write, with: { path: "ä😀" } }], usage: { input: 500, cached: 400, output: 7 } }
      - { say: "nearly all of", finish: length }
      - { say: All done., usage: none }
      - { refuse: I will not. }
`
  async function converse(api: Endpoint['api']) {
    const parsed = parseScenario(script, 'scenario.yaml')
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults))
    const calls: RecordedCall[] = []
    const server = await startRehearsalServer({
      scenario: parsed.scenario,
      port: 0,
      onCall: (call) => calls.push(call),
    })
    const endpoint = endpointAt(server.baseUrl, api)
    const messages: ModelMessage[] = [...opening]
    const replies: ModelReply[] = []
    const tools = [{ name: 'read', means: 'reads', parameters: { type: 'object' } }]
    try {
      for (let turn = 0; turn < 5; turn += 1) {
        const result = await callModel({ clock: systemClock }, aCall('', { endpoint, messages: [...messages], tools }))
        if (result.kind === 'fault') throw new Error(JSON.stringify(result.fault))
        const { reply } = result
        replies.push(reply)
        const { text, toolCalls, reasoning } = reply
        messages.push({ role: 'assistant', text, toolCalls, ...(reasoning === undefined ? {} : { reasoning }) })
        for (const { id } of toolCalls) messages.push({ role: 'tool', callId: id, text: `result of ${id}` })
      }
    } finally {
      await server.stop()
    }
    return { replies, calls }
  }

  test('text, calls, refusals, ends and usage', async () => {
    const [chat, responses] = [await converse('chat_completions'), await converse('responses')]
    const plain = ({ reasoning: _, ...reply }: ModelReply) => ({
      ...reply,
      toolCalls: reply.toolCalls.map(({ id: _id, ...call }) => call),
    })

    expect(responses.replies.map(plain)).toEqual(chat.replies.map(plain))
    expect(chat.replies.map(({ finishReason }) => finishReason)).toEqual([
      'tool_calls',
      'tool_calls',
      'length',
      'stop',
      'stop',
    ])
    expect(responses.calls.map(({ turn }) => turn)).toEqual([0, 1, 2, 3, 4])
  })

  test('nothing is kept on the server: reasoning comes sealed and goes back before the call it led to', async () => {
    const { calls } = await converse('responses')
    const body = calls[1]?.body as { input: { type?: string; role?: string; call_id?: string }[] }

    expect(calls[0]?.body).toMatchObject({
      store: false,
      include: ['reasoning.encrypted_content'],
      instructions: 'You work.',
      input: [{ role: 'user', content: 'go' }],
      tools: [{ type: 'function', name: 'read', description: 'reads', strict: false }],
    })
    expect(body.input.map(({ type, role }) => type ?? role)).toEqual([
      'user',
      'reasoning',
      'assistant',
      'function_call',
      'function_call',
      'function_call_output',
      'function_call_output',
    ])
    expect(body.input[1]).toMatchObject({ encrypted_content: expect.any(String), summary: [expect.anything()] })
    expect(body.input[1]).not.toHaveProperty('status')
    expect(body.input[4]).toMatchObject({ name: 'read', arguments: '{}' }) // what is no JSON is not sent back
    expect(body.input[5]?.call_id).toBe(body.input[3]?.call_id)
  })

  test('reasoning of one model is not sent to another', async () => {
    await using server = await startFaultServer([refuse(500, '')])
    const said: ModelMessage = {
      role: 'assistant',
      text: 'hm',
      toolCalls: [],
      reasoning: [{ model: 'm', beforeCall: 0, entry: { type: 'reasoning', id: 'rs_1' } }],
    }
    const endpoint = endpointAt(server.baseUrl, 'responses')
    for (const model of ['m', 'other', 'm'])
      await ask(server.baseUrl, { endpoint, model, messages: [...opening, said] })
    expect(server.calls.map(({ bodyText }) => bodyText.includes('rs_1'))).toEqual([true, false, true])
  })
})

describe('how a response ends', () => {
  test.each<[string, string, object]>([
    ['completed', created + completed([message('hi')]), { text: 'hi', finish: 'stop' }],
    [
      'cut at its length',
      event('response.incomplete', {
        response: {
          status: 'incomplete',
          incomplete_details: { reason: 'max_output_tokens' },
          output: [message('half')],
        },
      }),
      { text: 'half', finish: 'length' },
    ],
    [
      'cut by a filter',
      event('response.incomplete', { response: { incomplete_details: { reason: 'content_filter' }, output: [] } }),
      { finish: 'content_filter' },
    ],
    [
      'cut for a reason of tomorrow',
      event('response.incomplete', { response: { incomplete_details: { reason: 'moon_phase' } } }),
      { finish: 'moon_phase' },
    ],
    [
      'failed: a rate',
      event('response.failed', { response: { error: { code: 'rate_limit_exceeded', message: 'try again in 2s' } } }),
      { class: 'transient', reason: 'rate_limit' },
    ],
    [
      'failed: its server',
      event('response.failed', { response: { error: { code: 'server_error', message: 'x' } } }),
      { class: 'transient', reason: 'server_error' },
    ],
    [
      'failed: money',
      event('response.failed', { response: { error: { code: 'insufficient_quota', message: 'x' } } }),
      { class: 'needs_human', reason: 'billing' },
    ],
    [
      'failed: a plan',
      event('response.failed', { response: { error: { code: 'usage_not_included', message: 'x' } } }),
      { class: 'needs_human' },
    ],
    [
      'failed: too large',
      event('response.failed', { response: { error: { code: 'context_length_exceeded', message: 'x' } } }),
      { class: 'overflow' },
    ],
    [
      'failed: its prompt',
      event('response.failed', { response: { error: { code: 'invalid_prompt', message: 'x' } } }),
      { class: 'failed' },
    ],
    ['failed without a word', event('response.failed', { response: { status: 'failed' } }), { class: 'failed' }],
    [
      'an error event',
      `${created}${event('error', { code: 'server_error', message: 'x', param: null })}`,
      { reason: 'server_error' },
    ],
    [
      'closed early',
      created + event('response.output_text.delta', { output_index: 0, delta: 'hal' }),
      { reason: 'dropped_stream', partial: 'hal' },
    ],
    ['closed after the first event', created, { reason: 'dropped_stream', phase: 'stream' }],
    ['[DONE] and no end', `${created}data: [DONE]\n\n`, { reason: 'dropped_stream' }],
  ])('%s', async (_, events, means) => {
    expect(told(await answered(events))).toMatchObject(means)
  })

  test('pieces count where no event holds the whole item', async () => {
    const events = [
      event('response.output_item.added', { output_index: 0, item: { type: 'message', content: [] } }),
      event('response.output_text.delta', { output_index: 0, delta: 'he' }),
      event('response.output_text.delta', { output_index: 0, delta: 'llo' }),
      event('response.output_item.added', {
        output_index: 1,
        item: { type: 'function_call', call_id: 'c', name: 'read', arguments: '' },
      }),
      event('response.function_call_arguments.delta', { output_index: 1, delta: '{"a"' }),
      event('response.function_call_arguments.delta', { output_index: 1, delta: ':1}' }),
      completed([]),
    ]
    expect(await answered(events.join(''))).toMatchObject({
      reply: {
        text: 'hello',
        finishReason: 'tool_calls',
        toolCalls: [{ id: 'c', name: 'read', argumentsText: '{"a":1}' }],
      },
    })
  })

  test('a whole response in answer to a request for a stream', async () => {
    await using server = await startFaultServer([
      refuse(
        200,
        JSON.stringify({
          status: 'completed',
          output: [message('hi')],
          usage: { input_tokens: 3, input_tokens_details: { cached_tokens: 1 }, output_tokens: 2 },
        }),
      ),
      refuse(200, JSON.stringify({ status: 'failed', error: { code: 'rate_limit_exceeded', message: 'x' } })),
    ])
    const endpoint = endpointAt(server.baseUrl, 'responses')
    expect(await ask(server.baseUrl, { endpoint })).toMatchObject({
      reply: { text: 'hi', usage: { inputTokens: 3, cachedTokens: 1, outputTokens: 2 } },
    })
    expect(told(await ask(server.baseUrl, { endpoint }))).toMatchObject({ reason: 'rate_limit' })
  })

  test('a stream that stays open after its end is not waited for', async () => {
    expect(told(await answered(completed([message('hi')]), { do: 'end', how: 'hang' }))).toEqual({
      text: 'hi',
      finish: 'stop',
    })
  })

  test('keep-alive events and progress without words do not feed the watchdogs', async () => {
    const busy = event('keepalive') + event('response.in_progress')
    await using server = await startFaultServer([
      {
        steps: [
          streamHead(),
          { do: 'send', bytes: created },
          { do: 'drip', bytes: busy, everyMs: 10, times: 'for_ever' },
        ],
      },
    ])
    const limits = { firstByteMs: 60_000, firstEventMs: 100, idleMs: 60_000, wholeCallMs: 60_000 }
    const result = await ask(server.baseUrl, { endpoint: endpointAt(server.baseUrl, 'responses'), limits })
    expect(result).toMatchObject({ fault: { reason: 'timeout' } })
  })
})

describe('a server that does not take a field of ours is asked without it, once', () => {
  test('sealed reasoning', async () => {
    const no = {
      error: {
        message: 'Encrypted content is not supported with this model.',
        type: 'invalid_request_error',
        param: 'include',
        code: null,
      },
    }
    await using server = await startFaultServer([
      refuse(400, JSON.stringify(no)),
      { steps: [streamHead(), { do: 'send', bytes: completed([message('hi')]) }] },
    ])
    const endpoint = endpointAt(server.baseUrl, 'responses')
    for (const _ of [1, 2]) expect(told(await ask(server.baseUrl, { endpoint }))).toMatchObject({ text: 'hi' })
    expect(server.calls.map(({ bodyText }) => bodyText.includes('encrypted_content'))).toEqual([true, false, false])
  })

  test('the new name of the output limit, and then the wish for usage', async () => {
    const strict = (field: string) =>
      JSON.stringify({
        detail: [{ type: 'extra_forbidden', loc: ['body', field], msg: 'Extra inputs are not permitted' }],
      })
    await using server = await startFaultServer([
      refuse(422, strict('max_completion_tokens')),
      refuse(422, strict('stream_options')),
      refuse(500, 'later'),
    ])
    await ask(server.baseUrl, { settings: { temperature: null, reasoning: null, maxOutputTokens: 50 } })
    expect(
      server.calls.map(({ body }) => Object.keys(body as object).filter((key) => /max_|stream_/.test(key))),
    ).toEqual([['stream_options', 'max_completion_tokens'], ['stream_options', 'max_tokens'], ['max_tokens']])
  })

  test('a field that a person asked for is not dropped: the refusal is told', async () => {
    const no = {
      error: {
        message: 'temperature is not supported with this model',
        param: 'temperature',
        code: 'unsupported_parameter',
      },
    }
    await using server = await startFaultServer([refuse(400, JSON.stringify(no))])
    const result = await ask(server.baseUrl, { settings: { temperature: 1, reasoning: null, maxOutputTokens: null } })
    expect(result).toMatchObject({ fault: { class: 'failed', param: 'temperature' } })
    expect(server.calls).toHaveLength(1)
  })
})
