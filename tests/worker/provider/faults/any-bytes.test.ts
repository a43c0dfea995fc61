import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { classify } from '../../../../src/worker/provider/faults/classify.ts'
import { findSilentOverflow } from '../../../../src/worker/provider/faults/conversation-size.ts'
import type { CallEvidence } from '../../../../src/worker/provider/faults/evidence.ts'
import { findWaitHint, longestHintMs } from '../../../../src/worker/provider/faults/wait-hint.ts'
import { parseWait } from '../../../../src/worker/provider/faults/wait-text.ts'
import { cpuTimer } from '../../../cpu-timer.ts'
import { faultFixtures } from './fixtures/fault-fixtures.ts'

const nowMs = Date.parse('2026-08-09T23:59:00Z')
const nothing: CallEvidence = { cutBy: null, phase: 'body', status: null, headers: {}, body: null, cause: null }
const runs = { numRuns: 300 }

/** Bodies of fixtures with a piece replaced, so that they stay near to what is looked for. */
const damagedBodies = fc
  .tuple(fc.constantFrom(...faultFixtures.map(({ body }) => String(body))), fc.nat(), fc.nat(40), fc.string())
  .map(([body, at, cut, piece]) => {
    const from = at % (body.length + 1)
    return body.slice(0, from) + piece + body.slice(from + cut)
  })
const bodies = fc.oneof(
  damagedBodies,
  fc.string({ unit: 'binary' }),
  fc.json(),
  fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes).toString('utf8')),
)
const headers = fc.dictionary(
  fc.constantFrom(
    ...['retry-after', 'retry-after-ms', 'date', 'location', 'x-request-id', 'x-ratelimit-remaining-tokens'],
    ...['x-ratelimit-reset-tokens', 'anthropic-ratelimit-tokens-remaining', 'anthropic-ratelimit-tokens-reset'],
  ),
  fc.oneof(
    fc.string(),
    fc.integer().map(String),
    fc.double().map(String),
    fc.date({ noInvalidDate: true }).map(String),
  ),
)
const statuses = fc.oneof(
  fc.constantFrom(...faultFixtures.map(({ status }) => status)),
  fc.integer(),
  fc.constant(null),
)

describe('whatever a server sends', () => {
  test('it is told apart without throwing, and the record keeps its limits', () => {
    fc.assert(
      fc.property(bodies, headers, statuses, (body, said, status) => {
        const fault = classify({ ...nothing, body, headers: said, status }, nowMs)

        expect(fault.message.length).toBeLessThanOrEqual(500)
        expect(fault.message).not.toBe('')
        expect(Buffer.byteLength(fault.rawHead ?? '')).toBeLessThanOrEqual(2_048)
        if (fault.retryAfterMs === null) return
        expect(fault.class).toBe('transient')
        expect(fault.retryAfterMs).toBeGreaterThan(0)
        expect(fault.retryAfterMs).toBeLessThanOrEqual(longestHintMs)
        expect(fault.resetAtMs).toBe(nowMs + fault.retryAfterMs)
      }),
      runs,
    )
  })

  test('the same evidence is the same fault', () => {
    fc.assert(
      fc.property(bodies, headers, statuses, (body, said, status) => {
        const evidence = { ...nothing, body, headers: said, status }
        expect(classify(evidence, nowMs)).toEqual(classify(evidence, nowMs))
      }),
      { numRuns: 100 },
    )
  })

  test('a hint is never negative, none and never more than a day', () => {
    fc.assert(
      fc.property(headers, fc.jsonValue(), fc.string(), (said, json, message) => {
        const hintMs = findWaitHint({ headers: said, json, message, nowMs })
        expect(hintMs === null || (hintMs > 0 && hintMs <= longestHintMs)).toBe(true)
      }),
      runs,
    )
  })

  test('a text is a wait or none', () => {
    const near = fc.stringMatching(/^[-+.:0-9eETZmshd ,NaIinfy]{0,24}$/)
    fc.assert(
      fc.property(fc.oneof(fc.string(), near), (text) => {
        const ms = parseWait(text, nowMs)
        expect(ms === undefined || (Number.isSafeInteger(ms) && ms > 0)).toBe(true)
      }),
      runs,
    )
  })

  test('a cause that leads in a circle, or to nothing that is an error, is still described', () => {
    const circle = new Error('round')
    circle.cause = circle

    for (const cause of [circle, 'text', 7, null, undefined, { errors: 7 }, { code: 7 }, Object.create(null)]) {
      expect(classify({ ...nothing, phase: 'connect', cause }, nowMs)).toMatchObject({
        class: 'failed',
        reason: 'unknown',
      })
    }
  })
})

describe('64 KiB that were made to be slow are as quick as any', () => {
  const size = 65_536
  const filled = (piece: string) => piece.repeat(Math.ceil(size / piece.length)).slice(0, size)
  const quoted = (text: string) => JSON.stringify({ error: { message: text } })
  const mostMs = 600 // far above what any of them takes, far below what a search that goes back and forth does

  test.each([
    ['open brackets', filled('[')],
    ['brackets that are closed', `${'['.repeat(30_000)}${']'.repeat(30_000)}`],
    ['fields within fields', `${'{"error":'.repeat(5_000)}1${'}'.repeat(5_000)}`],
    ['a detail within details', `{"detail":[{"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}]}`],
    ['a thousand objects of fields', JSON.stringify(Array.from({ length: 4_000 }, () => ({ a: {}, b: [] })))],
    ['open tags', filled('<')],
    ['tags that never close', filled('<script a')],
    ['a page', `<html>${filled('<b>x</b> ')}`],
    ['blanks', filled(' ')],
    ['line ends', filled('\n')],
    ['lines of a stream', filled('data: {}\r\n')],
    ['a line of a stream without an end', `data:${filled('{')}`],
    ['times without an end', quoted(filled('try again in 1h1m1s1ms'))],
    ['numbers without an end', quoted(filled('retry 9'))],
    ['almost a wait', quoted(filled('wait wait '))],
    ['almost overflow', quoted(filled('input token count '))],
    ['almost a quota', quoted(filled('exceeds the available '))],
    ['almost a gateway', quoted(`litellm.${filled('a')}`)],
    ['escapes', quoted(filled('\u0000\ufffd'))],
    ['pairs cut in two', filled('\ud83d')],
    ['digits', filled('9')],
    ['digits in a field', `{"error":{"code":${filled('9')}}}`],
  ])('%s', (_, body) => {
    const evidence = { ...nothing, status: 429, body, headers: { 'retry-after': body, location: body, date: body } }
    classify(evidence, nowMs)
    const usedMs = cpuTimer()
    const fault = classify(evidence, nowMs)

    expect(usedMs()).toBeLessThan(mostMs)
    expect(fault.status).toBe(429)
  })
})

describe('overflow that no server says', () => {
  const usage = (inputTokens: number, cachedTokens = 0) => ({ inputTokens, cachedTokens, outputTokens: 1 })
  const sent = (tokens: number, windowTokens: number | null = null, messages = 10) => ({
    tokens,
    messages,
    windowTokens,
  })

  test.each([
    ['more counted than the window has', sent(9_000, 8_192), usage(9_100), 'answered', 'over_window'],
    ['far less counted than was sent', sent(20_000), usage(4_096), 'answered', 'prompt_cut'],
    ['far less, but the rest was kept', sent(20_000), usage(4_096, 15_000), 'answered', null],
    ['an estimate that was somewhat high', sent(20_000), usage(12_000), 'answered', null],
    ['a small conversation', sent(2_000), usage(100), 'answered', null],
    ['no count at all', sent(200_000), null, 'answered', null],
    ['a count of nothing', sent(20_000), usage(0), 'answered', null],
    ['a large conversation and nothing said', sent(90_000), usage(90_000), 'nothing_said', 'nothing_said'],
    ['a small one and nothing said', sent(900), usage(900), 'nothing_said', null],
    ['one of many messages that is dropped', sent(50_000, null, 201), null, 'dropped_before_any_event', 'dropped'],
    [
      'one that fills most of the window and is dropped',
      sent(5_000, 8_192),
      null,
      'dropped_before_any_event',
      'dropped',
    ],
    ['another that is dropped', sent(50_000), null, 'dropped_before_any_event', null],
  ] as const)('%s', (_, conversation, counted, end, expected) => {
    expect(findSilentOverflow({ conversation, usage: counted, end })).toBe(expected)
  })
})
