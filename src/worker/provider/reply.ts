import type { ChatCompletion, ChatCompletionChunk } from 'openai/resources/chat/completions'

/** One answer of the model, whole. */
export interface ModelReply {
  readonly text: string
  readonly refusal: string
  readonly toolCalls: readonly ToolCall[]
  readonly finishReason: string
  /** Null when the provider reported none: unknown, not 0. */
  readonly usage: CallUsage | null
}

export interface ToolCall {
  readonly id: string
  readonly name: string
  /** JSON as the model wrote it; may be malformed. */
  readonly argumentsText: string
}

export interface CallUsage {
  readonly inputTokens: number
  readonly cachedTokens: number
  readonly outputTokens: number
}

/** Puts a reply together from the events of its stream. */
export class ReplyBuilder {
  #text = ''
  #refusal = ''
  #finishReason: string | null = null
  #usage: CallUsage | null = null
  readonly #toolCalls = new Map<number, { id: string; name: string; argumentsText: string }>()

  /** Text so far, for a report when the stream is cut. */
  get text(): string {
    return this.#text
  }

  add(chunk: ChatCompletionChunk): void {
    if (chunk.usage) this.#usage = readUsage(chunk.usage)
    const choice = chunk.choices?.[0] // a usage-only chunk has none
    if (choice === undefined) return
    this.#finishReason ??= choice.finish_reason ?? null
    const delta = choice.delta ?? {}
    if (typeof delta.content === 'string') this.#text += delta.content
    if (typeof delta.refusal === 'string') this.#refusal += delta.refusal
    for (const part of delta.tool_calls ?? []) this.#addToolCall(part)
  }

  /** Undefined without a finish reason: then the stream was dropped, whatever arrived. */
  build(): ModelReply | undefined {
    if (this.#finishReason === null) return undefined
    return {
      text: this.#text,
      refusal: this.#refusal,
      toolCalls: inOrder(this.#toolCalls),
      finishReason: this.#finishReason,
      usage: this.#usage,
    }
  }

  #addToolCall(part: NonNullable<ChatCompletionChunk.Choice.Delta['tool_calls']>[number]): void {
    // Some servers leave the index out and send each call whole.
    const index = part.index ?? this.#toolCalls.size
    const call = this.#toolCalls.get(index) ?? { id: '', name: '', argumentsText: '' }
    this.#toolCalls.set(index, {
      id: part.id || call.id,
      name: part.function?.name || call.name,
      argumentsText: call.argumentsText + (part.function?.arguments ?? ''),
    })
  }
}

/** A whole completion that came in answer to a stream request: some proxies do that. Undefined for any other shape. */
export function readWholeCompletion(json: unknown): ModelReply | undefined {
  const completion = json as Partial<ChatCompletion> | null | undefined
  const choice = completion?.choices?.[0]
  if (typeof choice?.message !== 'object' || typeof choice.finish_reason !== 'string') return undefined
  const calls = (choice.message.tool_calls ?? []).flatMap((call) =>
    call.type === 'function' ? [{ id: call.id, name: call.function.name, argumentsText: call.function.arguments }] : [],
  )
  return {
    text: choice.message.content ?? '',
    refusal: choice.message.refusal ?? '',
    toolCalls: inOrder(new Map(calls.entries())),
    finishReason: choice.finish_reason,
    usage: completion?.usage ? readUsage(completion.usage) : null,
  }
}

/** By index, gaps closed; ids that are missing or used twice are replaced, since each result must find its call. */
function inOrder(calls: ReadonlyMap<number, ToolCall>): readonly ToolCall[] {
  const taken = new Set<string>()
  return [...calls.entries()]
    .sort(([a], [b]) => a - b)
    .map(([index, call]) => {
      const id = call.id === '' || taken.has(call.id) ? `call_${index}` : call.id
      taken.add(id)
      return { ...call, id }
    })
}

function readUsage(usage: NonNullable<ChatCompletionChunk['usage']>): CallUsage {
  const count = (tokens: unknown) => (typeof tokens === 'number' && tokens > 0 ? Math.round(tokens) : 0)
  return {
    inputTokens: count(usage.prompt_tokens),
    cachedTokens: count(usage.prompt_tokens_details?.cached_tokens),
    outputTokens: count(usage.completion_tokens),
  }
}
