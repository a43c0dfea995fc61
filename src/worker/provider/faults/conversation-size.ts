import { isFields } from '../../../kernel/index.ts'
import type { CallUsage } from '../reply.ts'
import type { ConversationSize } from './evidence.ts'

interface Sizes {
  readonly ofWindow: number
  readonly tokens: number
  readonly messages: number
}

/** From here on a refusal without a word is mostly overflow (worker-facts b.4), and so is an answer without any event. */
const large: Sizes = { ofWindow: 0.4, tokens: 80_000, messages: 80 }
/** From here on a connection that is dropped without a word may be (worker-facts b.6). */
const veryLarge: Sizes = { ofWindow: 0.6, tokens: 120_000, messages: 200 }
/** Below this, estimates say too little to be held against a provider's count. */
const leastComparedTokens = 3_000

/** Whether a refusal without any word is more likely about the size of the conversation than about anything else. */
export const isLarge = (conversation: ConversationSize | undefined): boolean => isOver(conversation, large)

/**
 * Overflow that no server says: it counts more than the window has (z.ai), it counts far less than was sent and so has
 * cut the beginning off (Ollama), a large conversation gets an answer without a word or a call in it (LM Studio), or a very
 * large one meets a connection that ends without any event. What the loop asks of an answer that came, and of a dropped
 * one that no repeat got over. Null: nothing of the kind.
 */
export function findSilentOverflow(heard: {
  readonly conversation: ConversationSize
  readonly usage: CallUsage | null
  readonly end: 'answered' | 'nothing_said' | 'dropped_before_any_event'
}): 'over_window' | 'prompt_cut' | 'nothing_said' | 'dropped' | null {
  const { conversation, usage, end } = heard
  if (end === 'nothing_said' && isOver(conversation, large)) return 'nothing_said'
  if (end === 'dropped_before_any_event') return isOver(conversation, veryLarge) ? 'dropped' : null
  if (usage === null) return null
  const { windowTokens, tokens } = conversation
  // Some servers count what they had kept apart from the rest.
  const countedTokens = Math.max(usage.inputTokens, usage.cachedTokens)
  if (windowTokens !== null && countedTokens > windowTokens) return 'over_window'
  const keptTokens = usage.cachedTokens > 0 ? usage.inputTokens + usage.cachedTokens : usage.inputTokens
  if (keptTokens === 0 || tokens < leastComparedTokens) return null
  return keptTokens < tokens * 0.4 ? 'prompt_cut' : null
}

function isOver(conversation: ConversationSize | undefined, sizes: Sizes): boolean {
  if (conversation === undefined) return false
  const { tokens, messages, windowTokens } = conversation
  if (windowTokens !== null && tokens > windowTokens * sizes.ofWindow) return true
  return tokens > sizes.tokens || messages > sizes.messages
}

const number = '(\\d{1,3}(?:[,_]\\d{3}){1,3}|\\d{1,10})'
/** Each family of overflow says the window in a place of its own. */
const windows = [
  new RegExp(`tokens? ?> ?${number} ?(?:tokens? )?maximum`, 'i'), // prompt is too long: 210000 tokens > 200000 maximum
  new RegExp(`with ${number} maximum context length`, 'i'),
  new RegExp(`(?:context|prompt) (?:length|window|size)(?: is| of)?(?: only| at most)?:? ?\\(?${number}`, 'i'),
  new RegExp(`maximum number of (?:input )?tokens (?:allowed|supported)?:? ?\\(?${number}`, 'i'),
  new RegExp(`token limit(?: of|:)? ?\\(?${number}`, 'i'),
  new RegExp(`must be <=? ?${number}`, 'i'),
  new RegExp(`\\blimit:? ?${number},? requested\\b`, 'i'), // larger than a whole minute's quota
]
const leastWindowTokens = 128
const mostWindowTokens = 100_000_000

/** The window that an overflow names, by its words or by llama.cpp's own field; null where it names none. */
export function statedWindow(text: string, json: unknown): number | null {
  const error = isFields(json) ? json.error : undefined
  const field = isFields(error) && typeof error.n_ctx === 'number' ? error.n_ctx : undefined
  const said = [field, ...windows.map((family) => Number(family.exec(text)?.[1]?.replace(/[,_]/g, '')))]
  const isWindow = (tokens: number | undefined) =>
    tokens !== undefined && tokens >= leastWindowTokens && tokens <= mostWindowTokens
  return said.find(isWindow) ?? null
}
