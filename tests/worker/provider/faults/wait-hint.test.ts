import { describe, expect, test } from 'vitest'
import { findWaitHint } from '../../../../src/worker/provider/faults/wait-hint.ts'
import { parseWait } from '../../../../src/worker/provider/faults/wait-text.ts'

const nowMs = Date.parse('2026-08-09T23:59:00Z')

describe('a wait is read in every form that providers use', () => {
  test.each([
    ['20', 20_000],
    ['5.289', 5_289],
    ['86400', 86_400_000],
    ['12ms', 12],
    ['1s', 1_000],
    ['6m0s', 360_000],
    ['2m59.56s', 179_560],
    ['1h2m', 3_720_000],
    ['34.07s', 34_070],
    ['10h17m5.7s', 37_025_700],
    ['20 seconds', 20_000],
    ['350ms', 350],
    ['1 minute 30 seconds', 90_000],
    ['Mon, 10 Aug 2026 00:00:00 GMT', 60_000],
    ['2026-08-10T00:00:00Z', 60_000],
    ['2026-08-10 00:00:00Z', 60_000],
    ['Mon, 10 Aug 2026 00:00:00 +0000', 60_000],
    ['Monday, 10-Aug-26 00:00:00 GMT', 60_000],
    ['Mon Aug 10 00:00:00 2026', 60_000],
    ['9'.repeat(20), Number.MAX_SAFE_INTEGER],
    [String(nowMs / 1_000 + 30), 30_000],
    [String(nowMs + 1_500), 1_500],
  ])('%s', (text, expected) => {
    expect(parseWait(text, nowMs)).toBe(expected)
  })

  test.each(['', '0', '-1', 'NaN', 'null', 'soon', '0s', '2026-08-01T00:00:00Z', '1e9', '5 apples', '5m3'])(
    'and %j is no hint',
    (text) => {
      expect(parseWait(text, nowMs)).toBeUndefined()
    },
  )
})

describe('a hint is found where the provider put it', () => {
  const find = (source: { headers?: Record<string, string>; json?: unknown; message?: string }) =>
    findWaitHint({ headers: {}, json: undefined, message: '', nowMs, ...source })

  test('in milliseconds before seconds', () => {
    expect(find({ headers: { 'retry-after-ms': '1250', 'retry-after': '2' } })).toBe(1_250)
  })

  test('as a date, measured on the clock of the one who sent it', () => {
    expect(
      find({
        headers: { date: 'Mon, 10 Aug 2026 00:10:00 GMT', 'retry-after': 'Mon, 10 Aug 2026 00:10:07 GMT' },
      }),
    ).toBe(7_000)
  })

  test('in the reset of the limit that is used up, not of the others', () => {
    expect(
      find({
        headers: {
          'x-ratelimit-remaining-requests': '99',
          'x-ratelimit-reset-requests': '6m0s',
          'x-ratelimit-remaining-tokens': '0',
          'x-ratelimit-reset-tokens': '1.5s',
        },
      }),
    ).toBe(1_500)
  })

  test('in the reset times of Anthropic', () => {
    expect(
      find({
        headers: {
          'anthropic-ratelimit-tokens-remaining': '0',
          'anthropic-ratelimit-tokens-reset': '2026-08-10T00:00:00Z',
        },
      }),
    ).toBe(60_000)
  })

  test('in the details of Google', () => {
    expect(find({ json: [{ error: { details: [{ '@type': 'RetryInfo', retryDelay: '34.07s' }] } }] })).toBe(34_070)
  })

  test.each([
    ['Rate limit reached. Please try again in 6m0s. Visit our page.', 360_000],
    ['Please retry after 20 seconds', 20_000],
    ['Please retry in 10h17m5.7s.', 37_025_700],
    ['Limit 10, used 10. Try again in 350ms', 350],
    ['Try again at 2026-08-10T00:00:00Z.', 60_000],
    ['The quota resets at 2026-08-10T02:00:00+02:00, or upgrade.', 60_000],
    ['Slow down. Retry-After: 30', 30_000],
    ['retry after 7.', 7_000],
  ])('in prose: %s', (message, expected) => {
    expect(find({ message })).toBe(expected)
  })

  test.each([
    'limit of 30 requests in 60 seconds for model x',
    'retry after 3 failed calls is refused',
    'the run of 2026-08-10T00:00:00Z may be tried again',
  ])('prose about something else is no hint: %s', (message) => {
    expect(find({ message })).toBeNull()
  })

  test('in headers that stand in the body (OpenRouter)', () => {
    const headers = { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': String(nowMs + 40_000) }
    expect(find({ json: { error: { metadata: { headers } } } })).toBe(40_000)
    const left = { 'X-RateLimit-Remaining': 1, 'X-RateLimit-Reset': String(nowMs + 40_000) }
    expect(find({ json: { error: { metadata: { headers: left } } } })).toBeNull()
    expect(find({ json: { error: { metadata: { headers: { 'Retry-After': 12 } } } } })).toBe(12_000)
  })

  test.each([
    ['1250ms', 1_250],
    ['9'.repeat(14), 86_400_000],
    ['0.4', 1],
  ])('in milliseconds, as %s', (text, expected) => {
    expect(find({ headers: { 'retry-after-ms': text } })).toBe(expected)
  })

  test('invalid headers are passed over', () => {
    expect(find({ headers: { 'retry-after': '-1', 'retry-after-ms': '0' }, message: 'try again in 2s' })).toBe(2_000)
  })
})
