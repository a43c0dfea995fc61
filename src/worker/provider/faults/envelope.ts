import { isDeeperThan, isFields } from '../../../kernel/index.ts'

/** The parts of an error body that can be relied on, whichever of the many envelopes it came in. */
export interface Envelope {
  /** As sent, or what was passed on in its message; undefined where the body is no JSON. */
  readonly json: unknown
  readonly code: string | null
  readonly type: string | null
  readonly param: string | null
  /** Code, type, status and the reasons in its details, in this order, in lower case: words that mean one thing each. */
  readonly words: readonly string[]
  /** What the provider says in its own words, cleaned, at most 4,000 characters; with it what the one behind it said. */
  readonly text: string
  /** The provider's own words alone. */
  readonly message: string
  readonly requestId: string | null
  /** The code where it is a status (OpenRouter, vLLM and LiteLLM send one, the last as text). */
  readonly statusCode: number | null
  /** The body names the provider behind an aggregator. */
  readonly upstream: boolean
}

/** Longest text that is looked at; what is kept of it is shorter. */
const textChars = 4_000

/** Never throws, whatever the body. */
export function readEnvelope(body: string): Envelope {
  const json = parseJson(body)
  const core = coreOf(json)
  const code = scalar(core.code) ?? scalar(core.statusCode) ?? scalar(core.status_code)
  const reasons = reasonsOf(core)
  const message = cleanText(core.message ?? (json === undefined ? body : ''))
  const kind = /^litellm\.(\w{1,60})/.exec(message)?.[1]
  const type = [scalar(core.type), scalar(core.status)].find((word) => word !== null && !isStatus(word)) ?? null
  const bare = /^[a-z]+(?:_[a-z]+)+$/i.test(message) ? message.slice(0, 200) : null // a code, and not a word beside it
  const said = [code, scalar(core.type), scalar(core.status), ...reasons, kind, bare].flatMap(
    (word) => word?.toLowerCase() ?? [],
  )
  const words = said.filter((word) => !isStatus(word))
  const behind = isFields(core.metadata) ? cleanText(textBehind(core.metadata.raw)) : ''
  return {
    json: openedJson(json),
    code: (isStatus(code) ? (reasons[0] ?? code) : code)?.toLowerCase() ?? null,
    type: type?.toLowerCase() ?? null,
    param: scalar(core.param),
    words,
    message,
    text: behind === '' ? message : `${message} ${behind}`,
    requestId: isFields(json) ? scalar(json.request_id) : null,
    statusCode: isStatus(code) ? Number(code) : null,
    upstream: isFields(core.metadata)
      ? scalar(core.metadata.provider_name) !== null
      : /^litellm\.\w{1,60}: (?:\w{1,60}: )?\w{1,60}Exception/.test(message),
  }
}

interface Core {
  readonly code?: unknown
  readonly statusCode?: unknown
  readonly status_code?: unknown
  readonly type?: unknown
  readonly status?: unknown
  readonly param?: unknown
  readonly metadata?: unknown
  readonly details?: unknown
  readonly innererror?: unknown
  readonly inner_error?: unknown
  readonly message?: string | undefined
}

/** As deep as envelopes are put into each other; what is deeper is no word for us. */
const deepest = 4

/**
 * `{error: {…}}`, `{error: "…"}`, `[{error: …}]`, `{errors: [{…}]}`, `{detail: …}`, or the fields at the top; and any of them
 * in another one or in a text, as proxies pass on what they were told.
 */
function coreOf(json: unknown, depth = 0): Core {
  const top: unknown = Array.isArray(json) ? json[0] : json
  if (typeof top === 'string') return textCore(top, depth)
  if (!isFields(top) || depth > deepest) return {}
  if (typeof top.error === 'string') return { ...top, ...textCore(top.error, depth) }
  const response = isFields(top.response) ? top.response.error : undefined
  const inner = coreOf(inObject(top.error) ?? response ?? listOf(top), depth + 1)
  return hasWords(inner) ? inner : { ...top, ...complaintOf(top, depth) }
}

const inObject = (value: unknown): unknown => (typeof value === 'object' ? value : undefined)
const hasWords = (core: Core): boolean => Object.keys(core).length > 0
/** Cloudflare's list. Google has one of that name beside its message, which says less. */
const listOf = ({ errors, message }: Readonly<Record<string, unknown>>): unknown =>
  Array.isArray(errors) && typeof message !== 'string' ? errors : undefined

/** A whole document of the provider behind it, which a proxy has put into its own message as a text. */
function openedJson(json: unknown): unknown {
  const inner = isFields(json) && isFields(json.error) ? json.error.message : isFields(json) ? json.error : undefined
  return (typeof inner === 'string' ? parseOrNothing(inner) : undefined) ?? json
}

/** A text, or an envelope that was put into one. */
function textCore(text: string, depth: number): Core {
  const inner = /^\s*[[{]/.test(text) ? coreOf(parseOrNothing(text), depth + 1) : {}
  return hasWords(inner) ? inner : { message: text }
}

/** Message, and of a list of complaints (FastAPI) the first with what it is about. What it echoes is left out. */
function complaintOf(core: Readonly<Record<string, unknown>>, depth: number): Core {
  const said = core.message ?? core.detail ?? core.msg
  if (typeof said === 'string') return textCore(said, depth)
  const first: unknown = Array.isArray(said) ? said[0] : said
  if (typeof first === 'string') return { message: first }
  if (!isFields(first)) return { message: undefined }
  const inner = coreOf(first, depth + 1)
  const { loc } = first
  const place = Array.isArray(loc) ? loc.filter((part) => part !== 'body').join('.') : ''
  return {
    ...inner,
    message: inner.message ?? (isDeeperThan(first, 4) ? undefined : JSON.stringify(first)),
    ...(place === '' ? {} : { param: place }),
  }
}

/** Google's and Azure's own words stand one level deeper, OpenRouter's and Anthropic's beside the message. */
function reasonsOf({ details, innererror, inner_error, metadata }: Core): readonly string[] {
  const places = [...(Array.isArray(details) ? details.slice(0, 20) : [details]), innererror, inner_error, metadata]
  const names = ['reason', 'code', 'type', 'error_code', 'error_type', 'limit_type', 'limit_source', 'limitSource']
  return places.flatMap((place) => (isFields(place) ? names.flatMap((name) => scalar(place[name]) ?? []) : []))
}

/** What an aggregator got from the provider behind it, mostly JSON in a string. */
function textBehind(raw: unknown): string {
  if (typeof raw !== 'string') return ''
  return coreOf(parseJson(raw)).message ?? raw
}

function cleanText(message: string): string {
  const plain = message
    .slice(0, textChars * 5)
    .replace(/<(?:style|script)\b[^>]{0,500}>[^<]{0,8000}|<[^<>]{0,2000}>/gi, ' ')
  return plain.replace(/\s+/g, ' ').trim().slice(0, textChars)
}

/** A whole document; one with something behind it; or the first event of a stream that was sent as a refusal. */
function parseJson(body: string): unknown {
  const text = body.trimStart() // also takes a byte order mark away
  if (/^(?:data|event|id|retry)?:/.test(text)) return parseEvent(text)
  const whole = parseOrNothing(text)
  if (whole !== undefined || !/^[[{]/.test(text)) return whole
  const close = text.lastIndexOf(text.startsWith('{') ? '}' : ']')
  return close === -1 || close === text.length - 1 ? undefined : parseOrNothing(text.slice(0, close + 1))
}

/** Data in several lines is one document; some servers put no empty line between their events. */
function parseEvent(stream: string): unknown {
  const [event = ''] =
    stream.slice(0, 65_536).match(/^data:[^\r\n]*(?:\r?\n?(?:data|event|id|retry)?:[^\r\n]*)*/m) ?? []
  const lines = event.split(/[\r\n]+/).flatMap((line) => /^data:(.*)$/.exec(line)?.[1] ?? [])
  return parseOrNothing(lines.join('\n')) ?? parseOrNothing(lines[0] ?? '')
}

function parseOrNothing(text: string): unknown {
  if (!/^\s*["[{]/.test(text)) return undefined // to throw costs more than all the rest
  try {
    return JSON.parse(text)
  } catch {
    return undefined // ordinary: gateways answer in HTML or plain text
  }
}

const isStatus = (word: string | null | undefined): boolean => /^[1-5]\d\d$/.test(word ?? '')
/** Text or number as text, shortened: a code is a word, not a page. */
const scalar = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value.slice(0, 200) : typeof value === 'number' ? String(value) : null
