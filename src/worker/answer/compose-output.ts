import { maskJson, type Redactor } from '../../kernel/index.ts'
import type { ChatEnd, ChatProgress } from '../chat/chat-end.ts'
import type { ChatExitCode } from '../chat/exit-code.ts'

export interface OutputInput {
  readonly end: ChatEnd
  readonly progress: ChatProgress
  readonly exit: ChatExitCode
}

/** `--json`: one object on one line, of the same fields however it ended. What is not known is null, never 0. */
export function composeJsonOutput(
  { maskKnown }: { readonly maskKnown: Redactor },
  { end, progress, exit }: OutputInput,
): string {
  const { text, data, usage, calls, costUsd, turns, model } = progress
  return `${maskJson(maskKnown, {
    status: end.kind,
    reason: end.reason,
    message: end.message,
    text: text === '' ? null : text,
    data: data ?? null,
    usage:
      usage === null
        ? null
        : {
            input_tokens: usage.inputTokens,
            cached_tokens: usage.cachedTokens,
            output_tokens: usage.outputTokens,
            calls,
          },
    cost_usd: calls === 0 ? null : costUsd,
    turns,
    model,
    needs_human: end.needsHuman,
    retry_after_s: end.retryAfterMs === null ? null : Math.ceil(end.retryAfterMs / 1_000),
    exit,
  })}\n`
}

/** Without `--json`: the answer alone, and only where it is one. With a schema the value that fits, not the text around it. */
export function composeTextOutput(
  { maskKnown }: { readonly maskKnown: Redactor },
  { end, progress }: Omit<OutputInput, 'exit'>,
): string {
  if (end.kind !== 'completed') return ''
  const { text, data } = progress
  return data === undefined
    ? `${maskKnown(text.trimEnd())}\n`
    : `${JSON.stringify(JSON.parse(maskJson(maskKnown, data)), null, 2)}\n`
}
