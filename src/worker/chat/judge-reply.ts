import type { ModelReply } from '../provider/reply.ts'
import { type ChatEnd, completed, failed } from './chat-end.ts'

export type NextStep = { readonly kind: 'run_tools' } | { readonly kind: 'end'; readonly end: ChatEnd }

/**
 * What a whole reply means for the conversation, from its structured fields alone. Only a finish reason `stop` with an
 * answer completes it: cut, filtered, refused and empty replies never do.
 */
export function judgeReply(reply: ModelReply): NextStep {
  if (reply.refusal !== '') return end(failed('refusal', `the model refuses: ${reply.refusal.slice(0, 400)}`))
  switch (reply.finishReason) {
    case 'length':
      return end(failed('output_truncated', 'the reply was cut at its length limit', 'partial'))
    case 'content_filter':
      return end(failed('content_filter', "the provider's content filter cut the reply"))
    case 'model_context_window_exceeded':
      return end(failed('context_overflow', 'the conversation is larger than the model can take'))
    case 'insufficient_system_resource':
      return end({ ...failed('overloaded', 'the provider ran out of resources in mid-reply'), kind: 'wall' })
    case 'stop':
    case 'tool_calls':
      break
    default:
      return end(failed('unknown', `the reply ended for an unknown reason, ${reply.finishReason.slice(0, 60)}`))
  }
  if (reply.toolCalls.length > 0) return { kind: 'run_tools' } // some servers say `stop` beside tool calls
  if (reply.finishReason === 'tool_calls') return end(failed('protocol', 'tool calls were announced and none came'))
  if (reply.text.trim() === '') return end(failed('empty_reply', 'the model ended without an answer'))
  return end(completed)
}

const end = (how: ChatEnd): NextStep => ({ kind: 'end', end: how })
