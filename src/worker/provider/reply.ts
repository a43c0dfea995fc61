/** One answer of the model, whole. */
export interface ModelReply {
  readonly text: string
  readonly refusal: string
  readonly toolCalls: readonly ToolCall[]
  /** In the words of Chat Completions, whichever interface was used: stop, tool_calls, length, content_filter, … */
  readonly finishReason: string
  /** Null when the provider reported none: unknown, not 0. */
  readonly usage: CallUsage | null
  /** What the provider wants back with the next call. Absent where it sent none. */
  readonly reasoning?: readonly KeptReasoning[]
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

/** A piece of reasoning as it came; often sealed, and of no use to any other model. */
export interface KeptReasoning {
  readonly model: string
  /** It stood before the reply's tool call of this number, from 0; its text counts for no place. */
  readonly beforeCall: number
  readonly entry: unknown
}

/** By index, gaps closed; ids that are missing or used twice are replaced, since each result must find its call. */
export function inOrder(calls: ReadonlyMap<number, ToolCall>): readonly ToolCall[] {
  const taken = new Set<string>()
  return [...calls.entries()]
    .sort(([a], [b]) => a - b)
    .map(([index, call]) => {
      let id = call.id
      for (let n = index; id === '' || taken.has(id); n += 1) id = `call_${n}`
      taken.add(id)
      return { ...call, id }
    })
}

/** No conversation has more: what is above is no count, and no sum may go beyond what a number can hold. */
const mostTokens = 1_000_000_000_000

/** Tokens as a provider counts them. Null where there is no such count: unknown is not 0. */
function countTokens(tokens: unknown): number | null {
  return typeof tokens === 'number' && tokens >= 0 && tokens <= mostTokens ? Math.round(tokens) : null
}

/** Usage of which at least one side was counted, else null. */
export function usageOf(counts: {
  readonly input: unknown
  readonly cached: unknown
  readonly output: unknown
}): CallUsage | null {
  const [input, output] = [countTokens(counts.input), countTokens(counts.output)]
  if (input === null && output === null) return null
  return { inputTokens: input ?? 0, cachedTokens: countTokens(counts.cached) ?? 0, outputTokens: output ?? 0 }
}
