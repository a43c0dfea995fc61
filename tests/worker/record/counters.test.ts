import { expect, test } from 'vitest'
import { type Counters, countEnd, countReply, followTools } from '../../../src/worker/record/counters.ts'
import { priceCall } from '../../../src/worker/record/price-call.ts'

test('a tool that failed and then works is one recovery, however often it failed, and each tool has its own', () => {
  const counters: Counters = {}
  const follow = followTools(counters)
  follow({ tool: 'terminal', outcome: 'failed' })
  follow({ tool: 'terminal', outcome: 'failed' })
  follow({ tool: 'patch', outcome: 'ok', counts: ['edit_exact'] })
  follow({ tool: 'terminal', outcome: 'ok' })
  follow({ tool: 'terminal', outcome: 'ok' })

  expect(counters).toEqual({ tool_calls: 5, tool_failed: 2, tool_recovered: 1, edit_exact: 1 })
})

test('what is wrong with replies is counted beside how many there were; what did not happen has no row', () => {
  const counters: Counters = {}
  countReply(counters, [])
  countReply(counters, ['empty', 'reasoning_only'])
  countEnd(counters, 'complete')

  expect(counters).toEqual({ replies: 2, reply_empty: 1, reply_reasoning_only: 1, end_complete: 1 })
})

test('a call costs what its model costs, cached input at its own price', () => {
  const usage = { inputTokens: 1_000_000, cachedTokens: 400_000, outputTokens: 500_000 }
  expect(priceCall({ m: { in: 1, out: 4, cached: 0.1 } }, { model: 'm', usage })).toBeCloseTo(0.6 + 0.04 + 2)
  expect(priceCall({ m: { in: 1, out: 4 } }, { model: 'm', usage })).toBeCloseTo(1 + 2)
  expect(priceCall({ m: { in: 0, out: 0 } }, { model: 'm', usage })).toBe(0)
})

test('what a call costs is not known, and not 0, where the price or the use is not', () => {
  const usage = { inputTokens: 1, cachedTokens: 0, outputTokens: 1 }
  expect(priceCall({}, { model: 'm', usage })).toBeNull()
  expect(priceCall({ m: { in: 1, out: 1 } }, { model: 'm', usage: null })).toBeNull()
})
