import type { ModelMessage, ToolDescription } from '../provider/model-call.ts'
import { charsOf } from './messages.ts'

/** How many characters of this conversation are one token, as the last answered call has shown. */
export interface Gauge {
  readonly charsPerToken: number
}

/** Before the first answer (worker-facts c.5). */
export const firstGauge: Gauge = { charsPerToken: 3.6 }

const least = 1.5
const most = 8

export interface Sized {
  readonly messages: readonly ModelMessage[]
  readonly tools: readonly ToolDescription[]
}

/** About how many tokens a call sends, its instructions and tools included. */
export function estimateTokens({ charsPerToken }: Gauge, sized: Sized): number {
  return Math.ceil(charsIn(sized) / charsPerToken)
}

/** The gauge after a call, by what its provider has counted. A number that cannot be is not believed. */
export function calibrate(gauge: Gauge, sent: Sized, inputTokens: number | null): Gauge {
  if (inputTokens === null || inputTokens === 0) return gauge
  const charsPerToken = charsIn(sent) / inputTokens
  return charsPerToken >= least && charsPerToken <= most ? { charsPerToken } : gauge
}

export function charsIn({ messages, tools }: Sized): number {
  return messages.reduce((sum, message) => sum + charsOf(message), 0) + toolChars(tools)
}

const measured = new WeakMap<readonly ToolDescription[], number>()

function toolChars(tools: readonly ToolDescription[]): number {
  const chars = measured.get(tools) ?? JSON.stringify(tools).length
  measured.set(tools, chars)
  return chars
}

/** What a provider has counted of a call, and how many tokens the call was expected to have by what came before. */
export interface Counted {
  readonly tokens: number
  readonly chars: number
}

/** A smaller growth may be lost in a provider's own way of counting. */
const leastGrowthTokens = 1_500
const leastGrowthShare = 0.25
/** Some providers report nothing of use. */
const leastBelievedTokens = 1_000

/**
 * Whether a server has cut a conversation without a word, as Ollama does: it has grown by much since the last call, and
 * what is counted of it has not.
 */
export function isCutByServer(
  { charsPerToken }: Gauge,
  { last, now }: { readonly last: Counted; readonly now: Counted },
) {
  if (now.tokens < leastBelievedTokens) return false
  const growth = (now.chars - last.chars) / charsPerToken
  return growth >= Math.max(leastGrowthTokens, last.tokens * leastGrowthShare) && now.tokens <= last.tokens * 1.01
}
