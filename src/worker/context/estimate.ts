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
