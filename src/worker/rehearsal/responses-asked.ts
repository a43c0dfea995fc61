import { isFields } from '../../kernel/index.ts'
import type { Asked } from './choose-answer.ts'
import { textOf } from './text-of.ts'

/** A request of the Responses API, in the words in which a play is chosen. */
export function readResponsesAsked(body: Readonly<Record<string, unknown>>): Omit<Asked, 'key'> {
  const entries = Array.isArray(body.input) ? body.input.filter(isFields) : [{ role: 'user', content: body.input }]
  const instructions = typeof body.instructions === 'string' ? [{ role: 'system', text: body.instructions }] : []
  // Tools that are told and must not be called are not offered.
  const tools = Array.isArray(body.tools) && body.tool_choice !== 'none' ? body.tools.filter(isFields) : []
  return {
    model: String(body.model ?? ''),
    messages: [...instructions, ...turnsOf(entries)],
    tools: tools.map(({ name }) => String(name)),
  }
}

/**
 * A turn of the model is several entries here: reasoning, text and calls that follow each other are one. Text stands before
 * the calls of its turn, so that a text after another text, or after a call, begins the next one.
 */
function turnsOf(entries: readonly Readonly<Record<string, unknown>>[]): Asked['messages'] {
  const turns: { role: string; text: string }[] = []
  let isSaid = false
  for (const { type, role, content, output } of entries) {
    const isText = role === 'assistant'
    const isModel = isText || type === 'function_call' || type === 'reasoning'
    const last = turns.at(-1)
    if (isModel && last?.role === 'assistant' && !(isText && isSaid)) last.text += textOf(content)
    else if (isModel) turns.push({ role: 'assistant', text: textOf(content) })
    else if (type === 'function_call_output') turns.push({ role: 'tool', text: textOf(output) })
    else turns.push({ role: String(role), text: textOf(content) })
    isSaid = isText || type === 'function_call'
  }
  return turns
}
