import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chatCompletions } from '../../../src/worker/provider/chat-completions.ts'
import { responsesApi } from '../../../src/worker/provider/responses-api.ts'

const any = fc.oneof(fc.jsonValue(), fc.constant(null), fc.string(), fc.integer(), fc.constant({}), fc.constant([]))
/** A record whose fields are there or not, and of the right type or of any other. */
const roughly = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, fc.oneof({ weight: 4, arbitrary: value }, any)]),
    ),
    {
      requiredKeys: [],
    },
  )
const list = (of: fc.Arbitrary<unknown>) => fc.array(of, { maxLength: 3 })

const call = roughly({
  index: fc.integer({ min: -1, max: 5 }),
  id: fc.constantFrom('', 'a', 'b'),
  function: roughly({ name: fc.string(), arguments: fc.string() }),
})
const usage = roughly({ prompt_tokens: fc.double(), completion_tokens: fc.integer(), prompt_tokens_details: any })
const chatEvent = roughly({
  choices: list(
    roughly({
      index: fc.integer({ min: 0, max: 2 }),
      delta: roughly({
        content: fc.string(),
        refusal: fc.string(),
        reasoning_content: fc.string(),
        tool_calls: list(call),
      }),
      finish_reason: fc.constantFrom('stop', '', null),
      usage,
    }),
  ),
  usage,
  error: fc.constant(undefined),
})
const entry = roughly({
  type: fc.constantFrom('message', 'function_call', 'reasoning'),
  content: list(roughly({ type: fc.constantFrom('output_text', 'refusal'), text: fc.string(), refusal: fc.string() })),
  call_id: fc.string(),
  name: fc.string(),
  arguments: fc.string(),
})
const responsesEvent = roughly({
  type: fc.constantFrom(
    'response.created',
    'response.completed',
    'response.incomplete',
    'response.output_item.added',
    'response.output_item.done',
    'response.output_text.delta',
    'response.refusal.delta',
    'response.function_call_arguments.delta',
  ),
  output_index: fc.integer({ min: -1, max: 3 }),
  delta: fc.string(),
  item: entry,
  response: roughly({
    status: fc.constantFrom('completed', 'incomplete'),
    output: list(entry),
    usage,
    incomplete_details: any,
  }),
})

test.each([
  ['chat_completions', chatCompletions, chatEvent],
  ['responses', responsesApi, responsesEvent],
] as const)(
  'whatever a server sends by %s is read without a throw, and a reply has the types that it promises',
  (_, api, event) => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof({ weight: 5, arbitrary: event }, any), { maxLength: 12 }),
        any,
        (events, document) => {
          const reader = api.createReader('m')
          for (const one of events) {
            const heard = reader.add(one)
            expect(typeof heard === 'string' || typeof heard.error === 'string').toBe(true)
          }
          for (const reply of [
            reader.build(),
            reader.readWhole(document),
            ...events.map((one) => reader.readWhole(one)),
          ]) {
            if (reply === undefined) continue
            expect([reply.text, reply.refusal, reply.finishReason].every((text) => typeof text === 'string')).toBe(true)
            expect(reply.finishReason).not.toBe('')
            const ids = reply.toolCalls.map(({ id }) => id)
            expect(new Set(ids).size).toBe(ids.length)
            expect(ids).not.toContain('')
            for (const { name, argumentsText } of reply.toolCalls)
              expect([typeof name, typeof argumentsText]).toEqual(['string', 'string'])
            const counts = Object.values(reply.usage ?? {})
            expect(counts.every((count) => Number.isSafeInteger(count) && count >= 0)).toBe(true)
          }
        },
      ),
      { numRuns: 400 },
    )
  },
)
