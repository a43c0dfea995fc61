import { isFields } from '../../kernel/index.ts'
import { finishWord, isFailureWord } from './finish-word.ts'
import { type CallUsage, inOrder, type KeptReasoning, type ModelReply, type ToolCall, usageOf } from './reply.ts'
import type { HeardEvent, ReplyReader } from './wire-api.ts'

type Fields = Readonly<Record<string, unknown>>

/** Reads what Chat Completions sends. What arrives is untrusted: any field may be missing or of another type. */
export class ChatReader implements ReplyReader {
  readonly #model: string
  #text = ''
  #refusal = ''
  #finishReason: string | null = null
  #usage: CallUsage | null = null
  readonly #calls = new Map<number, ToolCall>()
  /** By the index that a server gave. */
  readonly #places = new Map<number, number>()
  #lastCall = -1
  #nextPlace = 0
  #reasoning = ''
  #otherReasoning = ''
  readonly #details: unknown[] = []
  /** Seals that some providers put on a call, by its place. */
  readonly #seals = new Map<number, unknown>()

  constructor(model: string) {
    this.#model = model
  }

  get text(): string {
    return this.#text
  }

  get isThere(): ReplyReader['isThere'] {
    if (this.#finishReason === null) return 'part'
    return this.#usage === null ? 'but_usage' : 'whole'
  }

  add(event: unknown): HeardEvent {
    if (!isFields(event)) return 'foreign'
    const usage = this.#addUsage(event)
    // Older vLLM sends an error with its fields at the top, which the SDK takes for a chunk.
    if (!Array.isArray(event.choices)) return usage === 'told' ? 'model' : isError(event) ? asError(event) : 'foreign'
    const choice: unknown = event.choices.find((one) => isFields(one) && (one.index ?? 0) === 0)
    if (!isFields(choice)) return usage === 'told' ? 'model' : 'empty' // a usage-only chunk has none
    if (isFields(choice.error)) return asError({ error: choice.error })
    const said = this.#addDelta([choice.delta, choice.message].find(isFields) ?? {})
    // Of two finish reasons the first holds. An empty one, which some servers send with every chunk, is none.
    if (typeof choice.finish_reason === 'string' && choice.finish_reason !== '') {
      const word = finishWord(choice.finish_reason)
      if (isFailureWord(word)) return brokenOff
      this.#finishReason ??= word
      return 'model'
    }
    return said || usage === 'told' || this.#addUsage(choice) === 'told' ? 'model' : 'empty'
  }

  build(): ModelReply | undefined {
    if (this.#finishReason === null) return undefined
    return {
      text: this.#text,
      refusal: this.#refusal,
      toolCalls: inOrder(this.#calls),
      finishReason: this.#finishReason,
      usage: this.#usage,
      ...this.#keptReasoning(),
    }
  }

  readWhole(json: unknown): ModelReply | undefined {
    if (!isFields(json) || !Array.isArray(json.choices)) return undefined
    const choice: unknown = json.choices[0]
    if (!isFields(choice) || !isFields(choice.message) || typeof choice.finish_reason !== 'string') return undefined
    const finishReason = finishWord(choice.finish_reason)
    if (finishReason === '') return undefined
    const { message } = choice
    const calls = Array.isArray(message.tool_calls) ? message.tool_calls.map((call) => wholeCall(call)) : []
    return {
      text: plainText(message.content),
      refusal: plainText(message.refusal),
      toolCalls: inOrder(new Map(calls.entries())),
      finishReason,
      usage: isFields(json.usage) ? readUsage(json.usage) : null,
    }
  }

  /**
   * What some want back with the calls that it led to, or refuse them (DeepSeek its text, OpenRouter its details, Gemini
   * the seal of a call); and what tells a reply that was thought and not said.
   */
  #keptReasoning(): { readonly reasoning?: readonly KeptReasoning[] } {
    const keep = (beforeCall: number, entry: unknown): KeptReasoning => ({ model: this.#model, beforeCall, entry })
    const places = [...this.#calls.keys()].sort((a, b) => a - b)
    const seals = places.flatMap((place, n) =>
      this.#seals.has(place) ? [keep(n, { extra_content: this.#seals.get(place) })] : [],
    )
    const reasoning = [...this.#thoughts().map((entry) => keep(0, entry)), ...seals]
    return reasoning.length === 0 ? {} : { reasoning }
  }

  /** The same thought may come in several forms: the first is the one that is asked for again. */
  #thoughts(): readonly object[] {
    if (this.#details.length > 0) return [{ reasoning_details: this.#details }]
    if (this.#reasoning !== '') return [{ reasoning_content: this.#reasoning }]
    return this.#otherReasoning === '' ? [] : [{ reasoning: this.#otherReasoning }]
  }

  /** Beside the choices, or in the choice (Moonshot). */
  #addUsage({ usage }: Fields): 'told' | 'not_told' {
    const counted = isFields(usage) ? readUsage(usage) : null
    if (counted === null) return 'not_told'
    this.#usage = counted
    return 'told'
  }

  /** Whether it said anything. */
  #addDelta(delta: Fields): boolean {
    const text = plainText(delta.content)
    const refusal = plainText(delta.refusal)
    this.#text += text
    this.#refusal += refusal
    const parts = Array.isArray(delta.tool_calls) ? delta.tool_calls.filter(isFields) : []
    for (const part of parts) this.#addCallPart(part)
    if (typeof delta.reasoning_content === 'string') this.#reasoning += delta.reasoning_content
    if (typeof delta.reasoning === 'string') this.#otherReasoning += delta.reasoning
    if (Array.isArray(delta.reasoning_details)) this.#details.push(...delta.reasoning_details)
    return text !== '' || refusal !== '' || parts.length > 0 || isReasoning(delta)
  }

  #addCallPart(part: Fields): void {
    const named = isFields(part.function) ? part.function : {}
    const id = typeof part.id === 'string' ? part.id : ''
    const name = typeof named.name === 'string' ? named.name : ''
    const at = this.#placeOf(part.index, { id, name })
    const before = this.#calls.get(at) ?? { id: '', name: '', argumentsText: '' }
    this.#lastCall = at
    this.#nextPlace = Math.max(this.#nextPlace, at + 1)
    if (isFields(part.extra_content)) this.#seals.set(at, part.extra_content)
    this.#calls.set(at, {
      id: before.id || id,
      name: name || before.name,
      argumentsText: before.argumentsText + argumentsOf(named.arguments),
    })
  }

  /**
   * Which call a piece belongs to. Servers that send no index begin a call with its name. Some give each of several
   * calls the same index: a piece with another id and a name of its own begins another call.
   */
  #placeOf(index: unknown, { id, name }: { readonly id: string; readonly name: string }): number {
    const next = this.#nextPlace
    if (typeof index !== 'number') return name !== '' || this.#lastCall < 0 ? next : this.#lastCall
    const known = this.#places.get(index)
    const before = known === undefined ? undefined : this.#calls.get(known)
    const isAnother = before !== undefined && name !== '' && id !== '' && before.id !== '' && id !== before.id
    const place = known === undefined || isAnother ? (this.#calls.has(index) ? next : index) : known
    this.#places.set(index, place)
    return place
  }
}

function wholeCall(call: unknown): ToolCall {
  const named = isFields(call) && isFields(call.function) ? call.function : {}
  return {
    id: isFields(call) && typeof call.id === 'string' ? call.id : '',
    name: typeof named.name === 'string' ? named.name : '',
    argumentsText: argumentsOf(named.arguments),
  }
}

/** A text, or an object from servers that parse it themselves. */
const argumentsOf = (value: unknown): string =>
  typeof value === 'string' ? value : isFields(value) ? JSON.stringify(value) : ''

/** A text, or a list of parts of which some are texts. */
function plainText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part) => (isFields(part) && typeof part.text === 'string' ? part.text : '')).join('')
}

const isSaid = (value: unknown): boolean => (typeof value === 'string' || Array.isArray(value)) && value.length > 0
const isReasoning = (delta: Fields): boolean =>
  isSaid(delta.reasoning_content) || isSaid(delta.reasoning) || isSaid(delta.reasoning_details)

const isError = (event: Fields): boolean =>
  event.object === 'error' || event.type === 'error' || 'detail' in event || typeof event.message === 'string'
/** As of a server that says it in a body. */
const brokenOff: HeardEvent = {
  error: JSON.stringify({ error: { type: 'server_error', message: 'the reply ended in an error of the provider' } }),
}
const asError = (event: Fields): HeardEvent => ({ error: JSON.stringify(event) })

function readUsage({ prompt_tokens, completion_tokens, prompt_tokens_details }: Fields): CallUsage | null {
  const cached = isFields(prompt_tokens_details) ? prompt_tokens_details.cached_tokens : undefined
  return usageOf({ input: prompt_tokens, cached, output: completion_tokens })
}
