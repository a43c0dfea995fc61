import OpenAI from 'openai'
import { chatCompletions } from '../../src/worker/provider/chat-completions.ts'
import type { ModelCall, ModelMessage } from '../../src/worker/provider/model-call.ts'
import { SentPrefixes } from '../../src/worker/provider/sent-prefix.ts'
import { textOfBody } from '../../src/worker/provider/wire-api.ts'
import { type Bench, measureBoth } from '../figure.ts'
import { median } from '../statistics.ts'

const sizes = [100, 400, 1_600] as const
const turns = 60

/**
 * What a turn costs until its request is a text that `fetch` is called with: ours, each message written once and the
 * whole handed to the SDK as it is sent, its hashes for the record included; and the SDK's own typed call.
 */
export const serialise: Bench = {
  figures: sizes.map((size) => ({
    id: `serialise_${size}_vs_typed`,
    says: `a turn of ${size} messages to the call of fetch, over the SDK's typed call; medians of ${turns} turns`,
    goal: { atMost: 1 },
  })),
  async open() {
    return {
      async measure(first) {
        const values: Record<string, number> = {}
        for (const size of sizes) {
          const talk = talkOf(size + 2 * turns)
          const { ours, peer } = await measureBoth(
            first,
            () => repeat(size, talk, ourTurn),
            () => repeat(size, talk, typedTurn),
          )
          values[`serialise_${size}_vs_typed`] = ours / peer
        }
        return values
      },
      async close() {},
    }
  },
}

type OneTurn = (client: OpenAI, call: ModelCall, prefixes: SentPrefixes) => Promise<unknown>

/** Turn by turn the conversation grows by two messages, as it does with one tool call each. */
async function repeat(size: number, talk: readonly ModelMessage[], takeTurn: OneTurn): Promise<number> {
  const values: number[] = []
  let sentAtMs = 0
  const client = new OpenAI({
    baseURL: 'http://127.0.0.1:9/v1',
    apiKey: 'bench',
    maxRetries: 0,
    logLevel: 'off',
    fetch: () => {
      sentAtMs = performance.now()
      return Promise.reject(new Error('enough'))
    },
  })
  const prefixes = new SentPrefixes()
  const messages = talk.slice(0, size)
  await takeTurn(client, callOf([...messages]), prefixes).catch(() => {}) // what was said before is not part of a turn
  for (let turn = 0; turn < turns; turn += 1) {
    messages.push(...talk.slice(size + 2 * turn, size + 2 * turn + 2))
    const call = callOf([...messages])
    const began = performance.now()
    await takeTurn(client, call, prefixes).catch(() => {})
    values.push(sentAtMs - began)
  }
  return median(values)
}

async function ourTurn(client: OpenAI, call: ModelCall, prefixes: SentPrefixes): Promise<unknown> {
  const body = chatCompletions.compose(call, new Set())
  prefixes.note(body)
  return await client.post('/chat/completions', {
    body: textOfBody(body),
    headers: { 'content-type': 'application/json' },
    stream: true,
  })
}

/** What the worker did before: the whole conversation in the SDK's words, and the text of it made by the SDK. */
async function typedTurn(client: OpenAI, call: ModelCall): Promise<unknown> {
  const messages = call.messages.map((message): OpenAI.ChatCompletionMessageParam => {
    switch (message.role) {
      case 'tool':
        return { role: 'tool', tool_call_id: message.callId, content: message.text }
      case 'assistant':
        return {
          role: 'assistant',
          content: message.text,
          tool_calls: message.toolCalls.map(({ id, name, argumentsText }) => ({
            id,
            type: 'function',
            function: { name, arguments: argumentsText },
          })),
        }
      default:
        return { role: message.role, content: message.text }
    }
  })
  return await client.chat.completions.create({
    model: call.model,
    messages,
    stream: true,
    stream_options: { include_usage: true },
  })
}

/** About 1 KB for each message: commands, what they printed, and now and then a file. */
export function talkOf(count: number): readonly ModelMessage[] {
  return Array.from({ length: count }, (_, n): ModelMessage => {
    const id = `call_${Math.floor(n / 2)}`
    const argumentsText = JSON.stringify({ command: `npm test -- --grep "case ${n}" && git diff --stat` })
    if (n === 0) return { role: 'system', text: 'You work on one task until it is done. '.repeat(40) }
    if (n === 1) return { role: 'user', text: 'Repair the parser. '.repeat(100) }
    if (n % 2 === 0) return { role: 'assistant', text: 'I look.', toolCalls: [{ id, name: 'terminal', argumentsText }] }
    return {
      role: 'tool',
      callId: id,
      text: `exit 0\n${'ok 12 - "parses \u00e4"\n\tat line 7\n'.repeat(n % 20 === 1 ? 160 : 20)}`,
    }
  })
}

export function callOf(messages: readonly ModelMessage[], baseUrl = 'http://127.0.0.1:9/v1'): ModelCall {
  return {
    endpoint: { baseUrl, apiKey: 'bench', api: 'chat_completions', headers: {} },
    model: 'm',
    settings: { temperature: null, reasoning: null, maxOutputTokens: null },
    messages,
    tools: [],
    toolChoice: 'auto',
    limits: {},
    contextTokens: 0,
    signal: new AbortController().signal,
  }
}
