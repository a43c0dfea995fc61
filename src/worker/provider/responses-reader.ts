import { isFields } from '../../kernel/index.ts'
import { type CallUsage, inOrder, type KeptReasoning, type ModelReply, type ToolCall, usageOf } from './reply.ts'
import type { HeardEvent, ReplyReader } from './wire-api.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Reads what the Responses API sends. `response.completed`, `.incomplete` and `.failed` are its only ends: a stream that
 * closes before one of them was dropped. An entry's own last event holds all of it; what came of it in pieces counts only
 * where that event is missing.
 */
export class ResponsesReader implements ReplyReader {
  readonly #model: string
  #text = ''
  readonly #entries = new Map<number, Fields>()
  #end: Fields | null = null

  constructor(model: string) {
    this.#model = model
  }

  get text(): string {
    return this.#text
  }

  get isThere(): ReplyReader['isThere'] {
    return this.#end === null ? 'part' : 'whole'
  }

  add(event: unknown): HeardEvent {
    if (!isFields(event) || typeof event.type !== 'string') {
      return isFields(event) && 'detail' in event ? { error: JSON.stringify(event) } : 'foreign'
    }
    switch (event.type) {
      case 'response.completed':
      case 'response.done':
      case 'response.incomplete':
      case 'response.failed':
        return this.#addEnd(event)
      case 'error':
        return { error: JSON.stringify({ error: event }) }
      case 'response.output_item.added':
      case 'response.output_item.done':
        if (isFields(event.item)) this.#entries.set(placeOf(event), event.item)
        return 'model'
      case 'response.output_text.delta':
        this.#text += typeof event.delta === 'string' ? event.delta : ''
        return this.#addPiece(event, 'text')
      case 'response.refusal.delta':
        return this.#addPiece(event, 'refusal')
      case 'response.function_call_arguments.delta':
        return this.#addPiece(event, 'arguments')
      default:
        // Summaries of reasoning, search calls and whatever comes next: as long as it is about the reply, it goes on.
        if (/^response\.(?:created|queued|in_progress)$|^keepalive$|^ping$/.test(event.type)) return 'empty'
        return event.type.startsWith('response.') ? 'model' : 'foreign'
    }
  }

  build(): ModelReply | undefined {
    return this.#end === null ? undefined : this.readWhole(this.#end)
  }

  readWhole(json: unknown): ModelReply | undefined {
    if (!isFields(json) || (json.status !== 'completed' && json.status !== 'incomplete')) return undefined
    const listed = Array.isArray(json.output) ? json.output.filter(isFields) : []
    const entries =
      listed.length > 0 ? listed : [...this.#entries.entries()].sort(([a], [b]) => a - b).map(([, one]) => one)
    return readEntries(entries, json, this.#model)
  }

  #addEnd(event: Fields): HeardEvent {
    const response = isFields(event.response) ? event.response : {}
    const status = response.status ?? event.type?.toString().replace('response.', '')
    if (status === 'failed' || event.type === 'response.failed') {
      return { error: JSON.stringify({ error: response.error ?? { message: 'the response failed' } }) }
    }
    // Some servers end what they have cut with the event of a whole answer: what the answer says of itself counts, too.
    const isCut = event.type === 'response.incomplete' || response.status === 'incomplete'
    this.#end = { ...response, status: isCut ? 'incomplete' : 'completed' }
    return 'model'
  }

  #addPiece(event: Fields, field: 'text' | 'refusal' | 'arguments'): HeardEvent {
    if (typeof event.delta !== 'string' || event.delta === '') return 'empty'
    const place = placeOf(event)
    const type = field === 'arguments' ? 'function_call' : 'message'
    const entry = this.#entries.get(place) ?? { type }
    this.#entries.set(
      place,
      field === 'arguments' ? withArguments(entry, event.delta) : withPart(entry, field, event.delta),
    )
    return 'model'
  }
}

const placeOf = (event: Fields): number => (typeof event.output_index === 'number' ? event.output_index : 0)

function withArguments(entry: Fields, delta: string): Fields {
  return { ...entry, arguments: `${typeof entry.arguments === 'string' ? entry.arguments : ''}${delta}` }
}

/** All pieces of a message's text become one part. */
function withPart(entry: Fields, field: 'text' | 'refusal', delta: string): Fields {
  const parts = Array.isArray(entry.content) ? entry.content.filter(isFields) : []
  const type = field === 'text' ? 'output_text' : 'refusal'
  const before = parts.find((part) => part.type === type)
  const said = typeof before?.[field] === 'string' ? before[field] : ''
  return { ...entry, content: [...parts.filter((part) => part !== before), { type, [field]: said + delta }] }
}

function readEntries(entries: readonly Fields[], response: Fields, model: string): ModelReply {
  const calls = new Map<number, ToolCall>()
  const reasoning: KeptReasoning[] = []
  let text = ''
  let refusal = ''
  for (const entry of entries) {
    if (entry.type === 'function_call') calls.set(calls.size, readCall(entry))
    if (entry.type === 'reasoning') reasoning.push({ model, beforeCall: calls.size, entry: sendable(entry) })
    if (entry.type !== 'message' || !Array.isArray(entry.content)) continue
    for (const part of entry.content.filter(isFields)) {
      if (part.type === 'output_text' && typeof part.text === 'string') text += part.text
      if (part.type === 'refusal' && typeof part.refusal === 'string') refusal += part.refusal
    }
  }
  return {
    text,
    refusal,
    toolCalls: inOrder(calls),
    finishReason: finishOf(response, calls.size),
    usage: isFields(response.usage) ? readUsage(response.usage) : null,
    ...(reasoning.length === 0 ? {} : { reasoning }),
  }
}

const readCall = (entry: Fields): ToolCall => ({
  id: typeof entry.call_id === 'string' ? entry.call_id : '',
  name: typeof entry.name === 'string' ? entry.name : '',
  argumentsText: typeof entry.arguments === 'string' ? entry.arguments : '',
})

/** `status` is the server's to say and refused when it comes back as null. */
function sendable({ status: _, ...entry }: Fields): Fields {
  return entry
}

/** In the words of Chat Completions. */
function finishOf({ status, incomplete_details }: Fields, calls: number): string {
  if (status === 'completed') return calls > 0 ? 'tool_calls' : 'stop'
  const reason = isFields(incomplete_details) ? incomplete_details.reason : undefined
  if (reason === 'max_output_tokens' || reason === 'max_tokens') return 'length'
  return typeof reason === 'string' && reason !== '' ? reason : 'incomplete'
}

function readUsage({ input_tokens, output_tokens, input_tokens_details }: Fields): CallUsage | null {
  const cached = isFields(input_tokens_details) ? input_tokens_details.cached_tokens : undefined
  return usageOf({ input: input_tokens, cached, output: output_tokens })
}
