/**
 * The forms in which a wait is written: seconds, milliseconds, HTTP dates, Go and protobuf durations, durations in prose,
 * days and hours with colons, epochs in seconds or milliseconds, RFC 3339 times.
 */

const longestTextChars = 100

/** Milliseconds behind one value of any known form; undefined when it is no hint. Dates count from `nowMs`. */
export function parseWait(text: string, nowMs: number): number | undefined {
  if (text.length > longestTextChars) return undefined
  const value = text.trim()
  const waitMs = parseNumber(value, nowMs) ?? parseSpan(value) ?? parseColons(value) ?? parseDate(value, nowMs)
  return waitMs !== undefined && waitMs > 0 ? Math.min(Math.ceil(waitMs), Number.MAX_SAFE_INTEGER) : undefined
}

/** Bare numbers are seconds; those that can only be a date are one: from 2001 on in seconds, or in milliseconds. */
function parseNumber(value: string, nowMs: number): number | undefined {
  if (!/^\d{1,40}(?:\.\d{1,18})?$/.test(value)) return undefined
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
const unitPatterns = unitMs.map(([words, ms]) => [new RegExp(`^(?:${words})$`, 'i'), ms] as const)
// `2m59.56s` has no blank before its second number: a unit may be followed by a digit, never by a letter.
const oneSpan = `(?:\\d{1,20}(?:\\.\\d{1,12})?)\\s?(?:${unitMs.map(([words]) => words).join('|')})(?![a-z])`
const oneOrMoreSpans = `(?:${oneSpan}(?:,? and |,? |,)?){1,6}`
const onlySpans = new RegExp(`^${oneOrMoreSpans}$`, 'i')
const eachSpan = /(\d{1,20}(?:\.\d{1,12})?)\s?([a-z]{1,12})/gi
const colons = '(?:\\d{1,3}\\.)?\\d{1,2}:\\d{2}:\\d{2}'
const onlyColons = new RegExp(`^${colons}$`)

function parseSpan(value: string): number | undefined {
  if (!onlySpans.test(value)) return undefined
  let totalMs = 0
  for (const [, amount, unit = ''] of value.matchAll(eachSpan)) {
    totalMs += Number(amount) * (unitPatterns.find(([words]) => words.test(unit))?.[1] ?? 0)
  }
  return totalMs
}

/** `02:04:01`, `6.23:10:08`: hours, minutes, seconds, and days before a point (Azure's gateway). */
function parseColons(value: string): number | undefined {
  if (!onlyColons.test(value)) return undefined
  const [seconds = 0, minutes = 0, hours = 0, days = 0] = value.split(/[:.]/).reverse().map(Number)
  return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000
}

function parseDate(value: string, nowMs: number): number | undefined {
  const atMs = parseMoment(value)
  return atMs === undefined ? undefined : atMs - nowMs
}

const moments = [
  /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/, // RFC 3339
  /^[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4} /, // HTTP
  /^[A-Z][a-z]{5,8}, \d\d-[A-Z][a-z]{2}-\d\d /, // its two older forms, which everybody must take
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/,
]
const hasZone = /(?:Z|GMT|UTC|[+-]\d\d:?\d\d)$/i

/** An HTTP date or an RFC 3339 time, in epoch milliseconds. `Date.parse` alone takes "1" for a year, and our zone for theirs. */
export function parseMoment(value: string): number | undefined {
  if (!moments.some((form) => form.test(value))) return undefined
  const atMs = Date.parse(hasZone.test(value) ? value : `${value}${value.includes('-') ? 'Z' : ' GMT'}`)
  return Number.isNaN(atMs) ? undefined : atMs
}

const spanInProse = new RegExp(
  `\\b(?:again|retry|retrying|resets?|wait|replenished)\\b\\D{0,40}?(${colons}|${oneOrMoreSpans})`,
  'i',
)

const momentInProse =
  /\b(?:again|retry|resets?|until)\b[^\d]{0,40}?(\d{4}-\d\d-\d\dT\d\d:[\d:.]{2,20}(?:Z|[+-]\d\d:?\d\d)?)/i
const bareInProse = /\bretry[-_ ]after(?:: ?(\d{1,9}(?:\.\d{1,6})?)\b| (\d{1,9}(?:\.\d{1,6})?)[.,;)]*$)/i

/** "Please try again in 6m0s", "retry after 20 seconds", "quota resets in 10h17m5.7s", "again at 2026-08-10T00:00:00Z". */
export function waitInProse(message: string): string | undefined {
  const text = message.slice(0, 4_000)
  const bare = bareInProse.exec(text)
  return (spanInProse.exec(text)?.[1] ?? momentInProse.exec(text)?.[1] ?? bare?.[1] ?? bare?.[2])?.trim()
}
