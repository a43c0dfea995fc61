import { describe, expect, test } from 'vitest'
import { classify } from '../../../src/worker/provider/faults/classify.ts'
import type { CallEvidence } from '../../../src/worker/provider/faults/evidence.ts'
import { needsHuman } from '../../../src/worker/provider/faults/fault.ts'
import { faultFixtures } from './fault-fixtures.ts'

const nowMs = Date.parse('2026-08-09T23:59:00Z')
const nothing: CallEvidence = { cutBy: null, phase: 'connect', status: null, headers: {}, body: null, cause: null }

describe('what a provider says is told apart', () => {
  test.each(faultFixtures)('$name', (fixture) => {
    const fault = classify(
      { ...nothing, phase: 'body', status: fixture.status, headers: fixture.headers ?? {}, body: fixture.body },
      nowMs,
    )

    expect([fault.class, fault.reason]).toEqual(fixture.means)
    expect(fault.retryAfterMs).toBe(fixture.retryAfterMs ?? null)
    expect(needsHuman(fault)).toBe(fixture.needsHuman ?? null)
    expect(fault.message).not.toBe('')
    expect(fault.message).not.toMatch(/[<>]/)
  })
})

describe('our own watchdog and a stop are known by their flag, whatever was thrown', () => {
  test.each(['first_byte', 'idle', 'whole_call'] as const)('%s', (cutBy) => {
    const fault = classify({ ...nothing, cutBy, cause: new Error('anything') }, nowMs)

    expect([fault.class, fault.reason]).toEqual(['transient', 'timeout'])
  })

  test('interrupted', () => {
    expect(classify({ ...nothing, cutBy: 'interrupted' }, nowMs).class).toBe('interrupted')
  })

  test('a text about a timeout is no timeout', () => {
    const fault = classify({ ...nothing, status: 400, body: '{"error":"timeout 503 auth quota"}' }, nowMs)

    expect([fault.class, fault.reason]).toEqual(['failed', 'bad_request'])
  })
})

describe('a connection that failed is told apart by the codes of its causes', () => {
  const thrown = (code: string) => new Error('Connection error.', { cause: Object.assign(new Error(code), { code }) })

  test.each([
    ['ECONNREFUSED', 'connect', 'transient', 'unreachable'],
    ['ECONNRESET', 'connect', 'transient', 'unreachable'],
    ['ECONNRESET', 'stream', 'transient', 'dropped_stream'],
    ['ENOTFOUND', 'connect', 'transient', 'dns'],
    ['ETIMEDOUT', 'connect', 'transient', 'timeout'],
    ['CERT_HAS_EXPIRED', 'connect', 'needs_human', 'tls'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'connect', 'needs_human', 'tls'],
    ['HPE_INVALID_CONSTANT', 'connect', 'transient', 'protocol'],
    ['ERR_OUT_OF_RANGE', 'connect', 'failed', 'unknown'],
  ] as const)('%s (%s)', (code, phase, expectedClass, reason) => {
    const fault = classify({ ...nothing, phase, cause: thrown(code) }, nowMs)

    expect([fault.class, fault.reason]).toEqual([expectedClass, reason])
  })

  test('an event that is no JSON is a fault of the protocol', () => {
    const fault = classify({ ...nothing, phase: 'stream', status: 200, cause: new SyntaxError('bad') }, nowMs)

    expect([fault.class, fault.reason]).toEqual(['transient', 'protocol'])
  })
})
