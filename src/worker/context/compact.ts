import type { Redactor } from '../../kernel/index.ts'
import { cutMiddle } from '../chat/cap-results.ts'
import { isLoopNote } from '../chat/loop-note.ts'
import type { ModelMessage, ToolDescription } from '../provider/model-call.ts'
import { estimateTokens, type Gauge } from './estimate.ts'
import { charsOf as sizeOf } from './messages.ts'
import { divide, fullAt, keepLimits } from './plan-compaction.ts'
import { pruneResults } from './prune.ts'
import { missingNames, renderForSummary, summaryMessage, summarySystem } from './summary.ts'

export interface CompactInput {
  readonly messages: readonly ModelMessage[]
  readonly tools: readonly ToolDescription[]
  readonly gauge: Gauge
  readonly windowTokens: number
  readonly maxOutputTokens: number | null
  /** when_full: only as far as it takes. forced: a server has refused it, so room is made whatever it costs. */
  readonly how: 'when_full' | 'forced'
}

export type Compacted =
  | {
      readonly kind: 'compacted'
      readonly messages: readonly ModelMessage[]
      readonly summary: 'made' | 'none' | 'failed'
    }
  /** Nothing in it can give way: it is the task itself that is too large. */
  | { readonly kind: 'nothing_to_give' }

export interface CompactDeps {
  readonly redact: Redactor
  /** One call of the model without tools; undefined where it did not answer. */
  readonly ask: (messages: readonly ModelMessage[]) => Promise<string | undefined>
}

/**
 * Makes room in a conversation: first old results of tools go, then a summary takes the place of its middle, then, where
 * that is not enough or no summary can be had, results near its end are cut. System prompt and task stay as they are, and
 * a message that stays is the same value, so that what was sent before is sent the same.
 */
export async function compact(deps: CompactDeps, input: CompactInput): Promise<Compacted> {
  const { gauge, tools, windowTokens, how } = input
  const mostTokens = how === 'forced' ? Math.floor(windowTokens / 2) : fullAt(windowTokens, input.maxOutputTokens)
  const fits = (messages: readonly ModelMessage[]) => estimateTokens(gauge, { messages, tools }) <= mostTokens
  const charsOf = (tokens: number) => tokens * gauge.charsPerToken
  const keep = keepLimits(windowTokens)
  const pruned = pruneResults(input.messages, {
    keepChars: charsOf(keep.pruneKeepsTokens),
    leastChars: charsOf(keep.pruneLeastTokens),
  })
  if (pruned !== undefined && fits(pruned)) return { kind: 'compacted', messages: pruned, summary: 'none' }
  const before = pruned ?? input.messages
  const { head, middle, tail } = divide(before, {
    tailMessages: keep.tailMessages,
    tailChars: charsOf(keep.tailTokens),
  })
  const summary = middle.length === 0 ? undefined : await summarise(deps, middle, charsOf(windowTokens) * 0.6)
  const said = saidByUser(middle, charsOf(keep.tailTokens))
  const made = summary === undefined ? before : [...head, ...said, summaryOf(summary, middle), ...tail]
  const state = middle.length === 0 ? 'none' : summary === undefined ? 'failed' : 'made'
  if (fits(made)) return changed(input.messages, made, state)
  return changed(input.messages, cutResults(made, charsOf(mostTokens)), state)
}

const summaryOf = (summary: string, middle: readonly ModelMessage[]): ModelMessage =>
  summaryMessage(summary, missingNames(middle, summary))

/**
 * What a user has said later than the task, as an answer to a question, stays word for word; the newest first to stay, and
 * the very newest whatever its length: of a conversation that is gone on with, it is the task.
 */
function saidByUser(middle: readonly ModelMessage[], mostChars: number): readonly ModelMessage[] {
  let leftChars = mostChars
  const said = middle.filter((message) => message.role === 'user' && !isLoopNote(message.text))
  const kept = said.toReversed().filter((message, index) => {
    leftChars -= sizeOf(message)
    return leftChars >= 0 || index === 0
  })
  return kept.toReversed()
}

async function summarise(
  { redact, ask }: CompactDeps,
  middle: readonly ModelMessage[],
  mostChars: number,
): Promise<string | undefined> {
  const text = redact(renderForSummary(middle, Math.floor(mostChars)))
  const summary = await ask([
    { role: 'system', text: summarySystem },
    { role: 'user', text },
  ])
  return summary === undefined || summary.trim() === '' ? undefined : redact(summary)
}

function changed(
  before: readonly ModelMessage[],
  after: readonly ModelMessage[],
  summary: 'made' | 'none' | 'failed',
): Compacted {
  const isSame = after.length === before.length && after.every((message, index) => message === before[index])
  return isSame ? { kind: 'nothing_to_give' } : { kind: 'compacted', messages: after, summary }
}

const shortestResultChars = 400

/** All results of tools cut to one length, so that together they take no more than half of what there is. */
function cutResults(messages: readonly ModelMessage[], mostChars: number): readonly ModelMessage[] {
  const results = messages.filter(({ role }) => role === 'tool').length
  const each = Math.max(shortestResultChars, Math.floor(mostChars / 2 / Math.max(1, results)))
  return messages.map((message) =>
    message.role === 'tool' && message.text.length > each + 100
      ? { ...message, text: cutMiddle(message.text, each) }
      : message,
  )
}
