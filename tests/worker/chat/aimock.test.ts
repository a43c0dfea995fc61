import { LLMock } from '@copilotkit/aimock'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ending, leadAt, ok, tool } from './lead-chat.ts'

/** Whole conversations with a provider that we did not write: what we understand of the two interfaces, they do, too. */
let mock: LLMock

beforeEach(async () => {
  mock = new LLMock({ port: 0 })
  await mock.start()
})
afterEach(() => mock.stop())

const look = () => tool('look', 'reads', ({ n }) => ok(`look ${n}: nothing there`))
/** So many results are in the conversation. */
const afterResults = (count: number) => ({
  predicate: ({ messages }: { readonly messages: readonly { readonly role: string }[] }) =>
    messages.filter(({ role }) => role === 'tool').length === count,
})
const asks = (n: number) => ({ toolCalls: [{ name: 'look', arguments: JSON.stringify({ n }) }] })
const at = (api: 'chat_completions' | 'responses') => ({ baseUrl: `${mock.url}/v1`, apiKey: 'k', api, headers: {} })

describe.each(['chat_completions', 'responses'] as const)('over %s', (api) => {
  test('a conversation of three turns: each call has its result, the answer is the last word, tokens are known', async () => {
    mock.addFixture({ match: afterResults(0), response: { content: 'I look.', ...asks(1) } })
    mock.addFixture({
      match: afterResults(1),
      response: { toolCalls: [...asks(2).toolCalls, ...asks(3).toolCalls] },
    })
    mock.addFixture({ match: afterResults(3), response: { content: 'There is nothing.' } })
    let looks = 0
    const counting = tool('look', 'reads', ({ n }) => {
      looks += 1
      return ok(`look ${n}: nothing there`)
    })

    const { end, progress } = await leadAt('', { endpoint: at(api), tools: [counting] })

    expect(end).toMatchObject({ kind: 'completed' })
    expect([progress.text, progress.turns, progress.calls, looks]).toEqual(['There is nothing.', 3, 3, 3])
    expect(progress.usage).not.toBeNull()
    expect(JSON.stringify(mock.getLastRequest()?.body)).toContain('look 3: nothing there')
  })

  test('an answer that is cut at its length is put together', async () => {
    mock.addFixture({ match: { turnIndex: 0 }, response: { content: 'The first half, ', finishReason: 'length' } })
    mock.addFixture({ match: { turnIndex: 1 }, response: { content: 'and the second.' } })

    const { end, progress } = await leadAt('', { endpoint: at(api) })

    expect([end.kind, progress.text]).toEqual(['completed', 'The first half, and the second.'])
  })

  test('a run that a tool ends is ended by that tool', async () => {
    mock.addFixture({
      match: { turnIndex: 0 },
      response: { toolCalls: [{ name: 'complete', arguments: '{"result":"All is mended."}' }] },
    })

    const { end, progress } = await leadAt('', { endpoint: at(api), tools: [ending('complete')] })

    expect([end.kind, progress.text, progress.calls]).toEqual(['completed', 'All is mended.', 1])
  })

  test('a limit in the middle is waited for, and no tool runs twice because of it', async () => {
    mock.addFixture({ match: { turnIndex: 0 }, response: asks(1) })
    mock.addFixture({ match: { turnIndex: 1, sequenceIndex: 0 }, response: limit })
    mock.addFixture({ match: { turnIndex: 1 }, response: { content: 'Seen.' } })

    const { end, progress } = await leadAt('', {
      endpoint: at(api),
      tools: [look()],
      options: { retry: { retries: 2, longestWaitMs: 30_000, allWaitsMs: 60_000 } },
    })

    expect([end.kind, progress.text]).toEqual(['completed', 'Seen.'])
    expect(progress.counters.tool_calls).toBe(1)
    expect(progress.fault).toMatchObject({ reason: 'rate_limit', status: 429 })
  })

  test('one that stays is a wall, with what was said until then', async () => {
    mock.addFixture({ match: { turnIndex: 0 }, response: { content: 'I look.', ...asks(1) } })
    mock.addFixture({ match: { turnIndex: 1 }, response: limit })

    const { end, progress } = await leadAt('', { endpoint: at(api), tools: [look()] })

    expect(end).toMatchObject({ kind: 'wall', reason: 'rate_limit' })
    expect([progress.text, progress.calls]).toEqual(['I look.', 1])
  })

  test('a stream that breaks off is a wall and no answer', async () => {
    mock.addFixture({
      match: { turnIndex: 0 },
      response: { content: 'A long answer that will never be heard to its end, however long one waits.' },
      chunkSize: 5,
      truncateAfterChunks: 4,
    })

    const { end } = await leadAt('', { endpoint: at(api) })

    expect(end.kind).toBe('wall')
    expect(['dropped_stream', 'unreachable']).toContain(end.reason) // by how much had left when it broke
  })
})

const limit = {
  error: { message: 'Rate limit reached for requests', type: 'requests', code: 'rate_limit_exceeded' },
  status: 429,
}
