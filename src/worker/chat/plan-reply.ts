import { cutAtWord } from '../../kernel/index.ts'
import type { ModelReply } from '../provider/reply.ts'
import type { ReplyIssue } from '../record/counters.ts'
import { type ChatEnd, completed, failed } from './chat-end.ts'
import { isChanting } from './guards/is-chanting.ts'
import { notices } from './notices.ts'

/** What was mended so far, so that nothing is mended for ever. */
export interface Mended {
  /** Parts of one answer that was cut, in a row. */
  readonly continued: number
  /** Tool calls that were cut in their arguments, in a row. */
  readonly cutCalls: number
  readonly empties: number
  readonly thoughts: number
  readonly filtered: number
  readonly chants: number
  /** Plain answers where a tool ends the run; of the whole run. */
  readonly nudges: number
}

export const nothingMended: Mended = {
  continued: 0,
  cutCalls: 0,
  empties: 0,
  thoughts: 0,
  filtered: 0,
  chants: 0,
  nudges: 0,
}

/** Worker-facts b.6 and c.11. */
export const mendLimits = {
  continued: 3,
  cutCalls: 3,
  empties: 3,
  thoughts: 2,
  filtered: 1,
  chants: 1,
  nudges: 2,
} as const

export interface ReplyView {
  readonly reply: ModelReply
  readonly mended: Mended
  /** The conversation ends with results of tools. */
  readonly afterTools: boolean
  /** Tools of which one has to be called to end the run; none: a plain answer ends it. */
  readonly endings: readonly string[]
  /** The output limit that was sent; null: the server's own. */
  readonly outputLimit: number | null
}

/** What a reply means for the conversation. `issue`: what was wrong with it, for the counters. */
export type ReplyPlan = { readonly mended: Mended; readonly issue?: ReplyIssue | undefined } & (
  | { readonly kind: 'run_tools' }
  /** The reply stays in the conversation, and this is said after it. */
  | { readonly kind: 'go_on'; readonly say: string; readonly answer: 'goes_on' | 'is_over' }
  /** The reply is thrown away and asked for again. */
  | { readonly kind: 'again'; readonly say: string | null; readonly outputLimit: number | null }
  /** The conversation has outgrown the model. */
  | { readonly kind: 'compact' }
  | { readonly kind: 'end'; readonly end: ChatEnd }
)

/** Asked for where nothing is known of the limit that has cut a reply. */
const unknownLimit = 8_192
const largestLimit = 131_072

/**
 * Decides from the structured fields of a whole reply alone. Only a finish reason `stop` with an answer completes: cut,
 * filtered, refused and empty replies never do.
 */
export function planReply(view: ReplyView): ReplyPlan {
  const { reply, mended } = view
  if (reply.refusal !== '') {
    return end(mended, failed('refusal', `the model refuses: ${cutAtWord(reply.refusal, 400)}`), 'refused')
  }
  if (isChanting(reply.text)) return ofChant(view)
  switch (reply.finishReason) {
    case 'length':
    case 'incomplete': // cut, and nothing is said of why
      return ofCut(view)
    case 'content_filter':
      return ofFiltered(view)
    case 'model_context_window_exceeded':
      return { kind: 'compact', mended }
    case 'insufficient_system_resource': {
      const says = 'the provider ran out of resources in mid-reply'
      return end(mended, { ...failed('overloaded', says), kind: 'wall' })
    }
    // Of a whole reply in one document; in a stream it is an error of the call, which is made again.
    case 'error':
    case 'network_error': {
      const says = 'the reply ended in an error of the provider'
      return end(mended, { ...failed('server_error', says), kind: 'wall' })
    }
    case 'stop':
    case 'tool_calls':
      return ofWhole(view)
    default: {
      const says = `the reply ended for an unknown reason, ${cutAtWord(reply.finishReason, 60)}`
      return end(mended, failed('unknown', says))
    }
  }
}

function ofWhole(view: ReplyView): ReplyPlan {
  const { reply, mended } = view
  // Some servers say `stop` beside tool calls.
  if (reply.toolCalls.length > 0) return { kind: 'run_tools', mended: { ...nothingMended, nudges: mended.nudges } }
  if (reply.finishReason === 'tool_calls') return ofMissingCall(view)
  if (reply.text.trim() === '') return isThoughtOnly(reply) ? ofThoughts(view) : ofEmpty(view)
  return ofAnswer(view)
}

function ofAnswer({ mended, endings }: ReplyView): ReplyPlan {
  if (endings.length === 0) return { kind: 'end', mended, end: completed }
  const nudges = mended.nudges + 1
  if (nudges > mendLimits.nudges) {
    const says = `the model stopped without ending the task by one of ${endings.join(', ')}`
    return end(mended, failed('not_finished', says, 'partial'), 'stopped_early')
  }
  const say = notices.notFinished(endings)
  return { kind: 'go_on', say, answer: 'is_over', mended: { ...nothingMended, nudges }, issue: 'stopped_early' }
}

function ofCut(view: ReplyView): ReplyPlan {
  const { reply, mended } = view
  if (reply.toolCalls.length > 0) return ofCutCall(view)
  // All of it went into thoughts.
  if (reply.text.trim() === '') return ofCutCall(view)
  const continued = mended.continued + 1
  if (continued > mendLimits.continued) {
    const says = `the answer was cut at its length limit, also after ${mendLimits.continued} continuations`
    return end(mended, failed('output_truncated', says, 'partial'), 'truncated')
  }
  return { kind: 'go_on', say: notices.goOn, answer: 'goes_on', mended: { ...mended, continued }, issue: 'truncated' }
}

function ofCutCall({ reply, mended, outputLimit }: ReplyView): ReplyPlan {
  const cutCalls = mended.cutCalls + 1
  const what = reply.toolCalls.length > 0 ? 'a tool call' : 'the reply, still without a word,'
  if (cutCalls > mendLimits.cutCalls) {
    const says = `${what} was cut at its length limit, also after ${mendLimits.cutCalls} repeats with a larger one`
    return end(mended, failed('output_truncated', says, 'partial'), 'truncated')
  }
  const before = outputLimit ?? Math.max(reply.usage?.outputTokens ?? 0, unknownLimit / 2)
  return {
    kind: 'again',
    say: reply.toolCalls.length > 0 && cutCalls === 1 ? notices.callCut : null,
    outputLimit: Math.max(before, Math.min(before * 2, largestLimit)),
    mended: { ...mended, cutCalls },
    issue: 'truncated',
  }
}

/** The filter has looked at what the model wrote, and the same prompt may bring something else; once. */
function ofFiltered({ mended, outputLimit }: ReplyView): ReplyPlan {
  const filtered = mended.filtered + 1
  return filtered > mendLimits.filtered
    ? end(mended, failed('content_filter', "the provider's content filter cut the reply, twice"), 'refused')
    : { kind: 'again', say: null, outputLimit, mended: { ...mended, filtered }, issue: 'refused' }
}

/** Some servers lose a call that they cannot read: what is left is no answer. */
const ofMissingCall = (view: ReplyView): ReplyPlan =>
  ofNothing(view, { reason: 'protocol', was: 'tool calls were announced and none came', say: notices.callMissing })

const ofEmpty = (view: ReplyView): ReplyPlan =>
  ofNothing(view, {
    reason: 'empty_reply',
    was: 'the model ended without an answer',
    say: view.afterTools ? notices.empty : null,
  })

interface Nothing {
  readonly reason: 'protocol' | 'empty_reply'
  readonly was: string
  /** Told the first time. */
  readonly say: typeof notices.empty | null
}

/** Asked for again, and in the end what ends the run. */
function ofNothing({ mended, outputLimit }: ReplyView, { reason, was, say }: Nothing): ReplyPlan {
  const empties = mended.empties + 1
  if (empties > mendLimits.empties) return end(mended, failed(reason, `${was}, ${empties} times in a row`), 'empty')
  const said = empties === 1 ? say : null
  return { kind: 'again', say: said, outputLimit, mended: { ...mended, empties }, issue: 'empty' }
}

function ofThoughts({ mended, outputLimit }: ReplyView): ReplyPlan {
  const thoughts = mended.thoughts + 1
  if (thoughts > mendLimits.thoughts) {
    const says = `the model only thought and said nothing, ${thoughts} times in a row`
    return end(mended, failed('reasoning_only', says), 'reasoning_only')
  }
  // Thoughts alone are no message that every server takes back, so the reply goes.
  const say = thoughts === 1 ? notices.thoughtOnly : null
  return { kind: 'again', say, outputLimit, mended: { ...mended, thoughts }, issue: 'reasoning_only' }
}

function ofChant({ mended, outputLimit }: ReplyView): ReplyPlan {
  const chants = mended.chants + 1
  return chants > mendLimits.chants
    ? end(mended, failed('loop_guard', 'the model says the same over and over'))
    : { kind: 'again', say: notices.chanting, outputLimit, mended: { ...mended, chants } }
}

const isThoughtOnly = ({ reasoning = [] }: ModelReply): boolean => reasoning.length > 0

const end = (mended: Mended, how: ChatEnd, issue?: ReplyIssue): ReplyPlan => ({ kind: 'end', mended, end: how, issue })
