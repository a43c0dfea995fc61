import { cutAtWord } from '../../kernel/index.ts'
import type { ModelMessage } from '../provider/model-call.ts'
import type { ToolCall } from '../provider/reply.ts'
import { charsOf, headOf, unitsOf } from './messages.ts'

export interface PruneLimits {
  /** Characters at the end of the conversation whose results stay. */
  readonly keepChars: number
  /** Less than that is not worth a new prefix. */
  readonly leastChars: number
}

/** Shorter results are as good as the line that would stand for them. */
const shortChars = 400

/**
 * Takes old results of tools out, without a call of the model: each becomes one line that says what it was. Undefined where
 * that would free too little. What is not taken out stays the same value.
 */
export function pruneResults(
  messages: readonly ModelMessage[],
  limits: PruneLimits,
): readonly ModelMessage[] | undefined {
  const head = headOf(messages)
  const units = unitsOf(messages.slice(head.length))
  let laterChars = 0
  let freedChars = 0
  const pruned = units.toReversed().map((unit) => {
    const isOld = laterChars >= limits.keepChars
    laterChars += unit.reduce((sum, message) => sum + charsOf(message), 0)
    if (!isOld) return unit
    const calls = unit[0]?.role === 'assistant' ? unit[0].toolCalls : []
    return unit.map((message) => {
      if (message.role !== 'tool' || message.text.length <= shortChars) return message
      const short = {
        ...message,
        text: sayPruned(
          calls.find(({ id }) => id === message.callId),
          message.text,
        ),
      }
      freedChars += message.text.length - short.text.length
      return short
    })
  })
  return freedChars >= Math.max(1, limits.leastChars) ? [...head, ...pruned.toReversed().flat()] : undefined
}

function sayPruned(call: ToolCall | undefined, text: string): string {
  const what = call === undefined ? 'a tool' : `${call.name} ${cutAtWord(call.argumentsText.replace(/\s+/g, ' '), 120)}`
  const ending = /\[(?:exit|ended|stopped)[^\]\n]{0,80}\]/.exec(text.slice(-300))?.[0] ?? ''
  return `[result of ${what}: ${text.length} characters, taken out to save room ${ending}]`.replace(' ]', ']')
}
