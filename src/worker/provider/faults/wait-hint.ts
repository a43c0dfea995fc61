import { isFields } from '../../../kernel/index.ts'
import { dayEndsInMs, isDayQuota } from './day-quota.ts'
import { parseMoment, parseWait, waitInProse } from './wait-text.ts'

/**
 * How long a provider asks us to wait, wherever it says so (worker-facts b.7): headers, fields of the body, prose. The
 * forms are those of `parseWait`. Zero, negative and unreadable values are no hint.
 */
export interface HintSource {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The parsed body, or undefined. */
  readonly json: unknown
  readonly message: string
  readonly nowMs: number
}

/** Nobody plans with a later time; what asks for more is asked again after a day. */
export const longestHintMs = 24 * 3_600_000
/** A quota of a day whose hint is shorter says when the next call could be counted, not when it is served. */
const longWaitMs = 600_000

/** Milliseconds from now, at most a day, or null where nothing is said. Headers go before fields, fields before prose. */
export function findWaitHint(source: HintSource): number | null {
  const saidMs = findSaidWait(source)
  const ms = isDayQuota(source.json) && (saidMs ?? 0) < longWaitMs ? dayEndsInMs(source.nowMs) : saidMs
  return ms === undefined ? null : Math.min(ms, longestHintMs)
}

type Headers = HintSource['headers']

function findSaidWait({ headers, json, message, nowMs }: HintSource): number | undefined {
  const theirNowMs = parseMoment(headers.date ?? '') ?? nowMs // their clock may differ from ours
  const inMs = (text: string | undefined) => parseWait(text ?? '', theirNowMs)
  const inHeaders = (some: Headers) =>
    inMs(inUnit(some['retry-after-ms'], 'ms')) ??
    inMs(inUnit(some['x-ms-retry-after-ms'], 'ms')) ??
    inMs(some['retry-after']) ??
    longest(exhaustedResets(some).map(inMs))
  return (
    inHeaders(headers) ??
    inHeaders(headersInBody(json)) ??
    longest(hintFields(json, 0).map(inMs)) ??
    inMs(waitInProse(message))
  )
}

/** OpenRouter tells those of its limits there. */
function headersInBody(json: unknown): Headers {
  const error = isFields(json) ? json.error : undefined
  const metadata = isFields(error) ? error.metadata : undefined
  const headers = isFields(metadata) && isFields(metadata.headers) ? metadata.headers : {}
  return Object.fromEntries(
    Object.entries(headers)
      .slice(0, 50)
      .map(([name, value]) => [name.toLowerCase(), String(value)]),
  )
}

/** A bare number with its unit; what has one already stays. */
const inUnit = (value: string | undefined, unit: string) =>
  value !== undefined && /^[\d.]{1,20}$/.test(value.trim()) ? `${value.trim()}${unit}` : value
const longest = (waits: readonly (number | undefined)[]): number | undefined =>
  waits.reduce((a, b) => (a === undefined ? b : b === undefined ? a : Math.max(a, b)), undefined)

const remainingName = /^((?:[a-z]{1,20}-)?(?:x-)?rate-?limit-)(?:remaining(-[a-z-]{1,40})?|([a-z-]{1,40})-remaining)$/

/** Reset headers are sent with every answer; only that of a limit which is used up says something. */
function exhaustedResets(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).flatMap(([name, remaining]) => {
    if (!name.includes('remaining') || remaining.trim() === '' || Number(remaining) > 0) return []
    const match = remainingName.exec(name)
    if (match === null) return []
    const [, start = '', ofKind = '', kind] = match
    const reset = headers[kind === undefined ? `${start}reset${ofKind}` : `${start}${kind}-reset`]
    return reset === undefined ? [] : [reset]
  })
}

/** Fields that say when, with the unit of a bare number. */
const hintUnits: ReadonlyMap<string, 'ms' | ''> = new Map([
  ...['retryDelay', 'retry_after', 'retryAfter', 'retry_after_seconds', 'retryAfterSeconds'].map(
    (n) => [n, ''] as const,
  ),
  ...['resets_at', 'reset_at', 'resetsAt', 'resets_in_seconds', 'reset_time'].map((n) => [n, ''] as const),
  ...['retry_after_ms', 'retryAfterMs'].map((n) => [n, 'ms'] as const),
])
const mostFieldsLookedAt = 1_000

/** Wherever they stand in the body (Google puts its own into a list of details). */
function hintFields(json: unknown, depth: number, left = { fields: mostFieldsLookedAt }): readonly string[] {
  if (typeof json !== 'object' || json === null || depth > 5) return []
  const found: string[] = []
  for (const name of Object.keys(json)) {
    left.fields -= 1
    if (left.fields < 0) break
    const value = (json as Readonly<Record<string, unknown>>)[name]
    const unit = hintUnits.get(name)
    if (unit === undefined) found.push(...hintFields(value, depth + 1, left))
    else if (typeof value === 'number' || typeof value === 'string') found.push(inUnit(String(value), unit) ?? '')
  }
  return found
}
