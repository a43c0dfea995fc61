import { expect, test } from 'vitest'
import { allGrants } from '../../src/kernel/index.ts'
import { type ChatSettings, formatChatSettings, parseChatSettings } from '../../src/runs/index.ts'

const every: ChatSettings = {
  schema: 1,
  models: ['big', 'small'],
  baseUrl: 'https://api.example.org/v1',
  api: 'responses',
  keyless: true,
  system: '/yard/house.md',
  headers: { 'x-team': 'shop' },
  temperature: 0.2,
  reasoning: 'low',
  maxOutputTokens: 4_000,
  contextTokens: 128_000,
  tools: ['read', 'write'],
  toolsOff: ['terminal'],
  hidden: ['/yard/keys/shop'],
  deniedCommands: ['git push*'],
  approvalCommands: ['npm publish*'],
  heartbeatMs: 120_000,
  sandbox: 'bwrap',
  maxTurns: 20,
  timeouts: { firstByteMs: 1, firstEventMs: 2, idleMs: 3, callMs: null },
  runMs: 7_200_000,
  budget: { tokens: 5_000_000, usd: 1.5 },
  prices: { big: { in: 1, out: 2, cached: 0.1 } },
  transcript: 'off',
  grants: ['create', 'link'],
  continues: '/yard/transcript.jsonl',
}
const least = { schema: 1, models: ['m'], baseUrl: 'http://127.0.0.1:1/v1' }

test('what was written is read back, field by field', () => {
  expect(parseChatSettings(formatChatSettings(every))).toEqual({ ok: true, settings: every })
})

test('what is absent is built in, so that a person can write a short file', () => {
  const parsed = parseChatSettings(JSON.stringify(least))
  expect(parsed).toMatchObject({
    ok: true,
    settings: { ...least, api: 'chat_completions', tools: null, toolsOff: [], grants: [], transcript: 'on' },
  })
  expect(Object.keys(parsed.ok ? parsed.settings : {}).sort()).toEqual(Object.keys(every).sort())
})

test('all faults are told at once, and a name that is not known with the nearest one', () => {
  const parsed = parseChatSettings(JSON.stringify({ modles: ['m'], baseUrl: 'ftp://x', runMs: 0, grants: ['delete'] }))
  expect(parsed).toEqual({
    ok: false,
    faults: [
      'modles is not known: did you mean models?',
      'schema is missing: 1',
      'models is missing: a list of names, at least one',
      'baseUrl must be an http or https address',
      'runMs must be milliseconds, more than 0 and at most 2592000000, or null',
      `grants must be a list of ${allGrants.join(', ')}`,
    ],
  })
})

test.each<[string, object]>([
  ['no model', { models: [] }],
  ['a model that is no text', { models: [1] }],
  ['another schema', { schema: 2 }],
  ['a time that is not finite', { runMs: '1e999' }],
  ['a negative time', { timeouts: { ...every.timeouts, idleMs: -1 } }],
  ['a time that is a switch', { timeouts: { ...every.timeouts, callMs: true } }],
  ['half of the times', { timeouts: { idleMs: 1 } }],
  ['a header of two lines', { headers: { 'x-a': 'b\nc: d' } }],
  ['half a price', { prices: { m: { in: 1 } } }],
  ['a negative price', { prices: { m: { in: -1, out: 1 } } }],
  ['a temperature above 2', { temperature: 2.1 }],
  ['turns that are no whole number', { maxTurns: 1.5 }],
])('%s is refused', (_, wrong) => {
  expect(parseChatSettings(JSON.stringify({ ...least, ...wrong }))).toMatchObject({ ok: false })
})

test.each(['', 'null', '[]', '{', '"x"'])('text that is no map of fields is refused: %j', (text) => {
  expect(parseChatSettings(text)).toMatchObject({ ok: false })
})
