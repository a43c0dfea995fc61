import { isFields } from '../../../kernel/index.ts'

/** The parts of an error body that can be relied on, whichever of the many envelopes it came in. */
export interface Envelope {
  /** As sent, or undefined where the body is no JSON. */
  readonly json: unknown
  /** Lower case. Numbers become text. */
  readonly code: string | null
  readonly type: string | null
  readonly param: string | null
  readonly message: string
  /** The code where it is a status (OpenRouter, vLLM and LiteLLM send one, the last as text). */
  readonly statusCode: number | null
  /** The body names the provider behind an aggregator. */
  readonly upstream: boolean
}

/** Longest message that is kept: a gateway's HTML page says nothing after that. */
const messageChars = 500

export function readEnvelope(body: string): Envelope {
  const json = parseJson(body)
  const core = coreOf(json)
  const code = text(core.code)
  const message = core.message ?? (json === undefined ? body : '')
  return {
    json,
    code: code?.toLowerCase() ?? null,
    type: (text(core.type) ?? text(core.status))?.toLowerCase() ?? null,
    param: text(core.param),
    message: cleanMessage(message),
    statusCode: code !== null && /^[1-5]\d\d$/.test(code) ? Number(code) : null,
    upstream: isFields(core.metadata)
      ? 'provider_name' in core.metadata
      : /^litellm\.\w+: (?:\w+: )?\w+Exception/.test(message),
  }
}

interface Core {
  readonly code?: unknown
  readonly type?: unknown
  readonly status?: unknown
  readonly param?: unknown
  readonly metadata?: unknown
  readonly message?: string | undefined
}

/** `{error: {…}}`, `{error: "…"}`, `[{error: …}]`, `{detail: …}`, or the fields at the top. */
function coreOf(json: unknown): Core {
  if (Array.isArray(json)) return coreOf(json[0])
  if (typeof json === 'string') return { message: json }
  if (!isFields(json)) return {}
  if (typeof json.error === 'string') return { ...json, message: json.error }
  if (isFields(json.error)) return { ...json.error, message: messageOf(json.error) }
  return { ...json, message: messageOf(json) }
}

function messageOf(core: Record<string, unknown>): string | undefined {
  const said = core.message ?? core.detail
  if (said === undefined || said === null) return undefined
  return typeof said === 'string' ? said : JSON.stringify(said)
}

function cleanMessage(message: string): string {
  const plain = message.slice(0, 20_000).replace(/<[^<>]{0,2000}>/g, ' ')
  return plain.replace(/\s+/g, ' ').trim().slice(0, messageChars)
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined // ordinary: gateways answer in HTML or plain text
  }
}

const text = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : null
