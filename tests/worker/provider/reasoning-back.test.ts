import { expect, test } from 'vitest'
import type { Endpoint, ModelMessage } from '../../../src/worker/provider/model-call.ts'
import { chatEvent, type FaultAnswer, refuse, sayAndStop, startFaultServer, streamHead } from '../fault-server.ts'
import { ask, endpointAt, opening } from './a-call.ts'

const call = (index: number, id: string, more: object = {}) => ({
  tool_calls: [{ index, id, function: { name: 'read', arguments: '{}' }, ...more }],
})
const stream = (...deltas: readonly object[]): FaultAnswer => ({
  steps: [
    streamHead(),
    { do: 'send', bytes: `${deltas.map((delta) => chatEvent(delta)).join('')}${chatEvent({}, 'tool_calls')}` },
  ],
})

/** What a turn of the model looks like in the next call; by another model where one is given. */
async function sentBack(
  first: FaultAnswer,
  how: { next?: string; later?: readonly FaultAnswer[]; api?: Endpoint['api'] } = {},
) {
  const { next = 'm', later = [sayAndStop('ok')], api = 'chat_completions' } = how
  await using server = await startFaultServer([first, ...later])
  const endpoint = endpointAt(server.baseUrl)
  const result = await ask(server.baseUrl, { endpoint })
  if (result.kind === 'fault') throw new Error(result.fault.message)
  const { text, toolCalls, reasoning } = result.reply
  const turn: ModelMessage = { role: 'assistant', text, toolCalls, ...(reasoning === undefined ? {} : { reasoning }) }
  const parts = { endpoint: { ...endpoint, api }, model: next, messages: [...opening, turn] }
  const answer = await ask(server.baseUrl, parts)
  const turns = server.calls.slice(1).map(({ body }) => (body as { messages?: readonly object[] }).messages?.[2])
  return { turns, answer, calls: server.calls }
}

test('text of reasoning goes back with the call that it led to', async () => {
  const { turns } = await sentBack(
    stream({ reasoning_content: 'I ha' }, { reasoning_content: 've to look' }, call(0, 'a')),
  )
  expect(turns).toMatchObject([{ reasoning_content: 'I have to look', tool_calls: [{ id: 'a' }] }])
})

test('details go back as they came, and instead of the text', async () => {
  const details = [
    { type: 'reasoning.encrypted', data: 'x' },
    { type: 'reasoning.text', text: 'y' },
  ]
  const deltas = [{ reasoning_details: [details[0]], reasoning_content: 'y' }, { reasoning_details: [details[1]] }]
  const { turns } = await sentBack(stream(...deltas, call(0, 'a')))
  expect(turns).toMatchObject([{ reasoning_details: details }])
  expect(turns[0]).not.toHaveProperty('reasoning_content')
})

test('the seal of a call goes back on that call', async () => {
  const seal = { google: { thought_signature: 'abc' } }
  const { turns } = await sentBack(stream(call(0, 'a'), call(3, 'b', { extra_content: seal })))
  expect(turns).toMatchObject([{ tool_calls: [{ id: 'a' }, { id: 'b', extra_content: seal }] }])
  expect(JSON.stringify(turns).match(/extra_content/g)).toHaveLength(1)
})

test('nothing goes back to another model, to the other interface, or without a call', async () => {
  const thought = [{ reasoning_content: 'hm' }, call(0, 'a', { extra_content: { s: 1 } })]
  const other = await sentBack(stream(...thought), { next: 'other' })
  const responses = await sentBack(stream(...thought), { api: 'responses' })
  const plain = await sentBack(stream({ reasoning_content: 'hm' }, { content: 'done' }))
  for (const { calls } of [other, responses, plain]) {
    expect(calls).toHaveLength(2)
    expect(calls[1]?.bodyText).not.toMatch(/reasoning_content|extra_content|"hm"/)
  }
})

test('a server that refuses what it sent itself is asked without it', async () => {
  const no =
    '{"error":{"message":"Extra inputs are not permitted","param":"messages[2].reasoning_content","type":"invalid_request_error"}}'
  const { turns, answer } = await sentBack(stream({ reasoning_content: 'hm' }, call(0, 'a')), {
    later: [refuse(400, no), sayAndStop('ok')],
  })
  expect(answer).toMatchObject({ kind: 'reply', reply: { text: 'ok' } })
  expect(turns).toHaveLength(2)
  expect(turns[0]).toHaveProperty('reasoning_content')
  expect(turns[1]).not.toHaveProperty('reasoning_content')
})

test.each(['reasoning_content', 'reasoning'])(
  'a reply that was only thought can be told from an empty one (%s)',
  async (field) => {
    await using server = await startFaultServer([stream({ [field]: 'hm' })])
    expect(await ask(server.baseUrl)).toMatchObject({ reply: { text: '', reasoning: [{ entry: { [field]: 'hm' } }] } })
  },
)
