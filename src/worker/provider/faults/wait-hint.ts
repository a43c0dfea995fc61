/**
 * How long a provider asks us to wait, out of every form that providers use (worker-facts b.7): seconds, milliseconds,
 * HTTP dates, Go and protobuf durations, durations in prose, epochs in seconds or milliseconds, RFC 3339 times.
 * Zero, negative and unreadable values are no hint.
 */

export interface HintSource {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The parsed body, or undefined. */
  readonly json: unknown
  readonly message: string
  readonly nowMs: number
}

/** Milliseconds from now, or null where nothing is said. Headers go before fields, fields before prose. */
export function findWaitHint({ headers, json, message, nowMs }: HintSource): number | null {
  const theirNowMs = parseDate(headers.date ?? '') ?? nowMs // their clock may differ from ours
  const inMs = (text: string | undefined) => parseWait(text ?? '', theirNowMs)
  return (
    inMs(suffixed(headers['retry-after-ms'], 'ms')) ??
    inMs(headers['retry-after']) ??
    longest(exhaustedResets(headers).map(inMs)) ??
    longest(hintFields(json, 0).map(inMs)) ??
    inMs(durationIn(message)) ??
    null
  )
}

/** Milliseconds behind one value of any known form; undefined when it is no hint. Dates count from `nowMs`. */
export function parseWait(text: string, nowMs: number): number | undefined {
  const value = text.trim()
  const waitMs = parseNumber(value, nowMs) ?? parseSpan(value) ?? differenceTo(parseDate(value), nowMs)
  return waitMs !== undefined && waitMs > 0 && Number.isFinite(waitMs) ? Math.ceil(waitMs) : undefined
}

/** Bare numbers are seconds; those that can only be a date are one: from 2001 on in seconds, or in milliseconds. */
function parseNumber(value: string, nowMs: number): number | undefined {
  if (!/^\d{1,15}(\.\d{1,9})?$/.test(value)) return undefined
  const number = Number(value)
  if (number >= 1e12) return number - nowMs
  return number >= 1e9 ? number * 1_000 - nowMs : number * 1_000
}

const unitMs: readonly (readonly [words: string, ms: number])[] = [
  ['ms|millis|milliseconds?', 1],
  ['s|secs?|seconds?', 1_000],
  ['m|mins?|minutes?', 60_000],
  ['h|hrs?|hours?', 3_600_000],
  ['d|days?', 86_400_000],
]
const oneSpan = `(\\d{1,12}(?:\\.\\d{1,12})?)\\s?(${unitMs.map(([words]) => words).join('|')})(?![a-z])`
const oneOrMoreSpans = `(?:${oneSpan.replaceAll('(?![a-z])', '(?![a-z])\\s{0,2}')}){1,6}`

function parseSpan(value: string): number | undefined {
  // `2m59.56s` has no blank before its second number: the unit may be followed by a digit, never by a letter.
  if (!new RegExp(`^${oneOrMoreSpans}$`, 'i').test(value)) return undefined
  let totalMs = 0
  for (const [, amount, unit = ''] of value.matchAll(new RegExp(oneSpan, 'gi'))) {
    const ms = unitMs.find(([words]) => new RegExp(`^(?:${words})$`, 'i').test(unit))?.[1] ?? 0
    totalMs += Number(amount) * ms
  }
  return totalMs
}

function parseDate(value: string): number | undefined {
  // `Date.parse` takes "1" for a year, so only the two forms that providers send are let in.
  if (!/^\d{4}-\d\d-\d\dT|^[A-Z][a-z]{2}, \d\d /.test(value)) return undefined
  const atMs = Date.parse(value)
  return Number.isNaN(atMs) ? undefined : atMs
}

const differenceTo = (atMs: number | undefined, nowMs: number) => (atMs === undefined ? undefined : atMs - nowMs)
const suffixed = (value: string | undefined, unit: string) =>
  value !== undefined && /^[\d.]+$/.test(value.trim()) ? `${value.trim()}${unit}` : undefined
const longest = (waits: readonly (number | undefined)[]): number | undefined =>
  waits.reduce((a, b) => (a === undefined ? b : b === undefined ? a : Math.max(a, b)), undefined)

/** Reset headers are sent with every answer; only that of a limit which is used up says something. */
function exhaustedResets(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).flatMap(([name, remaining]) => {
    const match = /^((?:[a-z]{1,20}-)?(?:x-)?ratelimit-)(?:remaining(-[a-z-]{1,40})?|([a-z-]{1,40})-remaining)$/.exec(
      name,
    )
    if (match === null || Number(remaining) > 0) return []
    const [, start = '', ofKind = '', kind] = match
    const reset = headers[kind === undefined ? `${start}reset${ofKind}` : `${start}${kind}-reset`]
    return reset === undefined ? [] : [reset]
  })
}

const hintNames = new Set(['retryDelay', 'retry_after', 'retry_after_seconds', 'resets_at', 'resets_in_seconds'])

/** Fields that say when, wherever they stand in the body (Google puts its own into a list of details). */
function hintFields(json: unknown, depth: number): readonly string[] {
  if (typeof json !== 'object' || json === null || depth > 5) return []
  return Object.entries(json).flatMap(([name, value]) => {
    if (hintNames.has(name)) return typeof value === 'string' || typeof value === 'number' ? [String(value)] : []
    return hintFields(value, depth + 1)
  })
}

/** "Please try again in 6m0s", "retry after 20 seconds", "quota resets in 10h17m5.7s". */
function durationIn(message: string): string | undefined {
  const match = new RegExp(`\\b(?:again|retry|retrying|resets?|wait)\\b\\D{0,40}?(${oneOrMoreSpans})`, 'i').exec(
    message.slice(0, 4_000),
  )
  return match?.[1]?.trim()
}
