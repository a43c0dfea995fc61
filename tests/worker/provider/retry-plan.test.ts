import { describe, expect, test } from 'vitest'
import type { ProviderFault } from '../../../src/worker/provider/faults/fault.ts'
import { planRetry } from '../../../src/worker/provider/retry-plan.ts'

const policy = { retries: 2, longestWaitMs: 30_000, allWaitsMs: 120_000 }
const random = { fraction: () => 0.5, hex: () => '' }
const wall: ProviderFault = {
  class: 'transient',
  reason: 'rate_limit',
  status: 429,
  code: null,
  type: null,
  param: null,
  message: 'slow down',
  requestId: null,
  retryAfterMs: null,
  phase: 'body',
  provider: null,
  resetAtMs: null,
  attempt: 1,
  statedWindowTokens: null,
  rawSha256: null,
  rawHead: null,
}
const plan = (fault: Partial<ProviderFault>, attempts: number, waitedMs = 0) =>
  planRetry({ random }, { fault: { ...wall, ...fault }, policy, state: { attempts, waitedMs } })

describe('a call is repeated only where that can help', () => {
  test('a wall without a hint: twice, with growing jittered waits', () => {
    expect(plan({}, 1)).toEqual({ kind: 'wait', ms: 500 })
    expect(plan({}, 2)).toEqual({ kind: 'wait', ms: 1_000 })
    expect(plan({}, 3).kind).toBe('give_up')
  })

  test('a hint is honoured to the millisecond', () => {
    expect(plan({ retryAfterMs: 30_000 }, 1)).toEqual({ kind: 'wait', ms: 30_000 })
  })

  test('a hint beyond 30 s ends the worker at once instead of holding its slot', () => {
    expect(plan({ retryAfterMs: 30_001 }, 1).kind).toBe('give_up')
  })

  test('all waits together stay within 120 s', () => {
    expect(plan({ retryAfterMs: 20_000 }, 1, 100_000).kind).toBe('wait')
    expect(plan({ retryAfterMs: 20_001 }, 1, 100_000).kind).toBe('give_up')
  })

  test('a dropped stream gets one repeat more, a protocol fault, a conflict and a stall one at most', () => {
    expect(plan({ reason: 'dropped_stream' }, 3).kind).toBe('wait')
    expect(plan({ reason: 'dropped_stream' }, 4).kind).toBe('give_up')
    expect(plan({ reason: 'protocol' }, 2).kind).toBe('give_up')
    expect(plan({ reason: 'timeout', status: null }, 2).kind).toBe('give_up')
    expect(plan({ reason: 'timeout', status: 200 }, 2).kind).toBe('give_up')
    expect(plan({ reason: 'timeout', status: 504 }, 2).kind).toBe('wait')
    expect(plan({ status: 409 }, 2).kind).toBe('give_up')
  })

  test('nothing is waited for that the run has no time left for', () => {
    const withLeft = (runLeftMs: number) =>
      planRetry(
        { random },
        { fault: { ...wall, retryAfterMs: 10_000 }, policy, state: { attempts: 1, waitedMs: 0, runLeftMs } },
      )
    expect(withLeft(14_000).kind).toBe('wait')
    expect(withLeft(13_333).kind).toBe('give_up')
  })

  test('a call of a tool that came out wrong gets one more try, a model without any capacity none', () => {
    const unlucky = { class: 'failed', reason: 'tool_schema', code: 'tool_use_failed', status: 400 } as const

    expect(plan(unlucky, 1).kind).toBe('wait')
    expect(plan(unlucky, 2).kind).toBe('give_up')
    expect(plan({ reason: 'overloaded', code: 'model_capacity_exhausted', status: 503 }, 1).kind).toBe('give_up')
  })

  test('money, access, overflow and failures are never repeated', () => {
    for (const none of ['needs_human', 'overflow', 'failed', 'interrupted'] as const) {
      expect(plan({ class: none, retryAfterMs: 1 }, 1).kind).toBe('give_up')
    }
  })
})
