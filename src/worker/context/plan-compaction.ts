import type { ModelMessage } from '../provider/model-call.ts'
import { charsOf, headOf, unitsOf } from './messages.ts'

/** Assumed of a model whose window nobody has told; a smaller one says so when it is too much. */
export const assumedWindowTokens = 128_000

/** Worker-facts c.5 and c.11; of a small window a share instead. */
const numbers = {
  smallWindowTokens: 100_000,
  smallWindowShare: 0.6,
  outputTokens: 8_192,
  reserveTokens: 16_384,
  tailMessages: 20,
  tailTokens: 20_000,
  pruneKeepsTokens: 40_000,
  pruneLeastTokens: 20_000,
} as const

/** How many tokens a conversation may have before it is condensed. */
export function fullAt(windowTokens: number, maxOutputTokens: number | null): number {
  const { smallWindowTokens, smallWindowShare, outputTokens, reserveTokens } = numbers
  const small = Math.floor(windowTokens * smallWindowShare)
  if (windowTokens < smallWindowTokens) return small
  return Math.max(small, windowTokens - (maxOutputTokens ?? outputTokens) - reserveTokens)
}

/** How much of a conversation stays as it is, by the window of its model. */
export function keepLimits(windowTokens: number) {
  return {
    tailMessages: numbers.tailMessages,
    tailTokens: Math.min(numbers.tailTokens, Math.floor(windowTokens * 0.2)),
    pruneKeepsTokens: Math.min(numbers.pruneKeepsTokens, Math.floor(windowTokens * 0.3)),
    pruneLeastTokens: Math.min(numbers.pruneLeastTokens, Math.floor(windowTokens * 0.15)),
  }
}

/** System prompt and task, what a summary takes the place of, and the end that stays as it is. */
export interface Division {
  readonly head: readonly ModelMessage[]
  readonly middle: readonly ModelMessage[]
  readonly tail: readonly ModelMessage[]
}

/** Divides a conversation for a summary. A reply is never parted from the results of its calls. */
export function divide(
  messages: readonly ModelMessage[],
  limits: { readonly tailMessages: number; readonly tailChars: number },
): Division {
  const head = headOf(messages)
  const units = unitsOf(messages.slice(head.length))
  let at = units.length
  let count = 0
  let chars = 0
  while (at > 0) {
    const unit = units[at - 1] as readonly ModelMessage[]
    count += unit.length
    chars += unit.reduce((sum, message) => sum + charsOf(message), 0)
    const isLast = at === units.length
    if (!isLast && (count > limits.tailMessages || chars > limits.tailChars)) break
    at -= 1
  }
  return { head, middle: units.slice(0, at).flat(), tail: units.slice(at).flat() }
}

/** What earlier compactions have taught. */
export interface CompactionMemory {
  /** Share of the conversation that each of the last two has freed. */
  readonly freedShares: readonly number[]
  /** Monotonic time of the last summary that did not work. */
  readonly failedAtMs: number | null
}

export const noCompactions: CompactionMemory = { freedShares: [], failedAtMs: null }

const worthShare = 0.1
const afterFailureMs = 600_000

/** Whether a conversation that is full is condensed now, or that would only turn in circles. */
export function isWorthCompacting({ freedShares, failedAtMs }: CompactionMemory, nowMs: number): boolean {
  if (failedAtMs !== null && nowMs - failedAtMs < afterFailureMs) return false
  const last = freedShares.slice(-2)
  return last.length < 2 || last.some((share) => share >= worthShare)
}
