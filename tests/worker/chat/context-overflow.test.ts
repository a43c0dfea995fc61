import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { isLoopNote } from '../../../src/worker/chat/loop-note.ts'
import { type HowLed, leadAt, messagesOf, ok, type Sent, tool } from './lead-chat.ts'

interface Asked {
  readonly messages: readonly Sent[]
  readonly kind: 'turn' | 'summary'
  readonly answered: number
}

interface Window {
  /** Tokens that it takes, counted as four characters each. */
  readonly tokens: number
  /** What it says where that is too little; undefined: it cuts without a word. */
  readonly says?: string
  /** Above so many messages it closes the connection, before any answer. */
  readonly hangsUpAbove?: number
  readonly turns: number
  /** Tokens of each call of a turn that it had kept. */
  readonly keptShare?: number
  /** From this turn on everything is too much for it. */
  readonly takesNothingFrom?: number
  /** What a summary call gets instead of a summary. */
  readonly summary?: { readonly status: number }
}

const refusal = (tokens: number) =>
  `This model's maximum context length is ${tokens} tokens. Reduce the length of the messages.`

/** A provider with a small window: each turn asks for one more look, until all are made. */
async function withWindow(window: Window, how: HowLed = {}) {
  const asked: Asked[] = []
  let turns = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const messages = messagesOf(JSON.parse(text))
    const kind = messages[0]?.content?.startsWith('You condense') ? 'summary' : 'turn'
    const sent = Math.ceil(text.length / 4)
    const answer = (status: number, body: object) => {
      asked.push({ messages, kind, answered: status })
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    const isTooMuch = sent > window.tokens || turns + 1 >= (window.takesNothingFrom ?? Number.POSITIVE_INFINITY)
    if (isTooMuch && window.says !== undefined && kind === 'turn') {
      return answer(400, {
        error: { message: window.says, type: 'invalid_request_error', code: 'context_length_exceeded' },
      })
    }
    if (kind === 'turn' && messages.length > (window.hangsUpAbove ?? Number.POSITIVE_INFINITY)) {
      asked.push({ messages, kind, answered: 0 })
      return request.socket.destroy()
    }
    const counted = Math.min(sent, window.tokens)
    const kept = kind === 'turn' ? Math.floor(counted * (window.keptShare ?? 0)) : 0
    const usage = {
      prompt_tokens: counted,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: kept },
    }
    const reply = (message: object, finish_reason: string) =>
      answer(200, { choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }], usage })
    if (kind === 'summary') {
      return window.summary === undefined
        ? reply({ content: '## Done\nlooked around' }, 'stop')
        : answer(window.summary.status, { error: { message: 'overloaded', code: 'server_is_overloaded' } })
    }
    turns += 1
    if (turns > window.turns) return reply({ content: 'seen it all' }, 'stop')
    const call = { id: `call_${turns}`, type: 'function', function: { name: 'look', arguments: `{"n":${turns}}` } }
    return reply({ content: null, tool_calls: [call] }, 'tool_calls')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const look = tool('look', 'reads', ({ n }) => ok(`look ${n}: ${'x'.repeat(4_000)}`))
    const led = await leadAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, { tools: [look], ...how })
    return { ...led, asked, kinds: asked.map(({ kind, answered }) => `${kind} ${answered}`) }
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

/** As every provider wants it: results behind their calls, a user's message first. */
function expectWhole({ messages }: Asked): void {
  expect(messages.slice(0, 2).map(({ role }) => role)).toEqual(['system', 'user'])
  let open: string[] = []
  for (const { role, tool_calls, tool_call_id } of messages) {
    if (role === 'tool') {
      expect(open).toContain(tool_call_id)
      open = open.filter((id) => id !== tool_call_id)
    } else expect(open).toEqual([])
    if (role === 'assistant') open = (tool_calls ?? []).map((call) => (call as { id: string }).id)
  }
  expect(open).toEqual([])
}

describe('a conversation that outgrows its model', () => {
  test('is condensed to the window that the server says, and goes on to its end', async () => {
    const { end, asked, kinds, progress } = await withWindow({ tokens: 8_000, says: refusal(8_000), turns: 14 })

    expect(end.kind).toBe('completed')
    expect(progress.compactions).toBeGreaterThan(0)
    expect(kinds.filter((kind) => kind === 'turn 400')).toHaveLength(1) // it learned the window
    for (const each of asked.filter(({ kind }) => kind === 'turn')) {
      expectWhole(each)
      expect(each.messages[1]?.content).toBe('do it')
    }
  })

  test('is condensed where the server hangs up on a large one, and on none that is not', async () => {
    const options = { maxTurns: 200 }
    const look = tool('look', 'reads', ({ n }) => ok(`look ${n}`))
    const small = await withWindow({ tokens: 100_000, hangsUpAbove: 9, turns: 9 }, { options, tools: [look] })
    const { end, kinds } = await withWindow(
      { tokens: 100_000, hangsUpAbove: 202, turns: 110 },
      { options, tools: [look] },
    )

    expect(end.kind).toBe('completed')
    expect(kinds).toContain('turn 0')
    expect([small.end.kind, small.end.reason, small.progress.compactions]).toEqual(['wall', 'unreachable', 0])
  })

  test('is condensed before it is full, where the window is known', async () => {
    const { end, kinds } = await withWindow(
      { tokens: 8_000, says: refusal(8_000), turns: 14 },
      { options: { contextTokens: 8_000 } },
    )

    expect(end.kind).toBe('completed')
    expect(kinds).not.toContain('turn 400')
  })

  test('goes on without a summary where none can be had', async () => {
    const { end, kinds } = await withWindow({
      tokens: 8_000,
      says: refusal(8_000),
      turns: 12,
      summary: { status: 503 },
    })

    expect(end.kind).toBe('completed')
    expect(kinds.filter((kind) => kind.startsWith('summary')).length).toBeLessThan(3) // not tried at each turn again
  })

  test('buys no summary that its budget does not hold, and makes room without one', async () => {
    const { kinds, progress } = await withWindow(
      { tokens: 8_000, says: refusal(8_000), turns: 12, keptShare: 0.95 },
      { options: { budget: { tokens: 5_000, usd: null } } },
    )

    const { inputTokens = 0, cachedTokens = 0, outputTokens = 0 } = progress.usage ?? {}
    expect(progress.compactions).toBeGreaterThan(0)
    expect(kinds).not.toContain('summary 200')
    expect(inputTokens - cachedTokens + outputTokens).toBeLessThanOrEqual(5_000)
  })

  test('is condensed twice in one turn at most, then the run fails with advice', async () => {
    const { end, asked } = await withWindow({ tokens: 50_000, says: refusal(8_000), turns: 12, takesNothingFrom: 6 })
    const refused = asked.filter(({ answered }) => answered === 400)

    expect(end).toMatchObject({ kind: 'failed', reason: 'context_overflow' })
    expect(end.message).toContain('a model with a larger context')
    expect(refused.length).toBeGreaterThan(1)
    expect(refused.length).toBeLessThanOrEqual(3)
  })

  test('is mended, too, where the server cuts it without a word', async () => {
    const { end, lines, progress } = await withWindow({ tokens: 3_000, turns: 12 })

    expect(end.kind).toBe('completed')
    expect(progress.compactions).toBeGreaterThan(0)
    expect(lines).toContainEqual(
      expect.objectContaining({ kind: 'note', says: expect.stringContaining('without a word') }),
    )
  })
})

test('a task that is too large by itself fails at once, with what to do', async () => {
  const { end, kinds } = await withWindow(
    { tokens: 8_000, says: refusal(8_000), turns: 1 },
    { prompt: 'x'.repeat(100_000) },
  )

  expect(kinds).toEqual(['turn 400'])
  expect(end).toMatchObject({ kind: 'failed', reason: 'context_overflow' })
  expect(end.message).toContain('give the task less text')
})

test('what stands for the condensed part is marked as the program’s own word', async () => {
  const { asked } = await withWindow({ tokens: 8_000, says: refusal(8_000), turns: 40 })

  const summaries = asked
    .filter(({ kind }) => kind === 'turn')
    .flatMap(({ messages }) => messages.filter(({ content }) => content?.includes('looked around')))
  expect(summaries.length).toBeGreaterThan(0)
  expect(summaries.every(({ role, content }) => role === 'user' && isLoopNote(content ?? ''))).toBe(true)
})
