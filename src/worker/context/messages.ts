import type { ModelMessage } from '../provider/model-call.ts'

/** Characters of a message that a model has to read, about. */
export function charsOf(message: ModelMessage): number {
  const roleChars = 12
  if (message.role !== 'assistant') return message.text.length + roleChars
  const calls = message.toolCalls.reduce(
    (sum, { name, argumentsText }) => sum + name.length + argumentsText.length + 30,
    0,
  )
  const thoughts = (message.reasoning ?? []).reduce((sum, { entry }) => sum + thoughtChars(entry), 0)
  return message.text.length + calls + thoughts + roleChars
}

const known = new WeakMap<object, number>()

function thoughtChars(thought: unknown): number {
  if (typeof thought !== 'object' || thought === null) return String(thought).length
  const chars = known.get(thought) ?? JSON.stringify(thought).length
  known.set(thought, chars)
  return chars
}

/**
 * Messages that only make sense together: a reply with the results of its calls, or a single message. A conversation is
 * cut between them and never inside.
 */
export function unitsOf(messages: readonly ModelMessage[]): readonly (readonly ModelMessage[])[] {
  const units: ModelMessage[][] = []
  for (const message of messages) {
    if (message.role === 'tool' && units.length > 0) units.at(-1)?.push(message)
    else units.push([message])
  }
  return units
}

/** System prompt and task: what comes before all else, and stays. */
export function headOf(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const task = messages.findIndex(({ role }) => role === 'user')
  return messages.slice(0, task + 1)
}
