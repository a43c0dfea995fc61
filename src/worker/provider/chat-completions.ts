import { assertNever, isFields } from '../../kernel/index.ts'
import { ChatReader } from './chat-reader.ts'
import type { ModelCall, ModelMessage, ToolDescription } from './model-call.ts'
import type { Quirk, WireApi, WireBody } from './wire-api.ts'

/** Chat Completions, which every compatible server speaks. */
export const chatCompletions: WireApi = {
  path: '/chat/completions',
  compose,
  createReader: (model) => new ChatReader(model),
}

function compose(call: ModelCall, quirks: ReadonlySet<Quirk>): WireBody {
  const { temperature, reasoning, maxOutputTokens } = call.settings
  const fixed = {
    model: call.model,
    stream: true,
    ...(quirks.has('no_stream_options') ? {} : { stream_options: { include_usage: true } }),
    ...(temperature === null ? {} : { temperature }),
    ...(reasoning === null ? {} : { reasoning_effort: reasoning }),
    ...(call.tools.length === 0 ? {} : { tools: call.tools.map(toolToWire) }),
  }
  const limit = quirks.has('old_token_limit') ? 'max_tokens' : 'max_completion_tokens'
  const varying = {
    ...(maxOutputTokens === null ? {} : { [limit]: maxOutputTokens }),
    ...(call.tools.length > 0 && call.toolChoice === 'none' ? { tool_choice: 'none' } : {}),
  }
  return {
    head: `${JSON.stringify(fixed).slice(0, -1)},"messages":[`,
    messages: call.messages.map((message) => wireText(message, quirks.has('no_reasoning') ? '' : call.model)),
    tail: closeWith(varying),
  }
}

/** What stands after the messages: `]}`, or `],"tool_choice":"none"}`. */
export function closeWith(varying: object): string {
  const fields = JSON.stringify(varying).slice(1)
  return fields === '}' ? ']}' : `],${fields}`
}

/**
 * Made once for each message: that is what keeps the bytes the same, and most of what a long conversation costs. Only
 * where it has reasoning the model counts, since that goes back to nobody else.
 */
const texts = new WeakMap<ModelMessage, { readonly model: string | null; readonly text: string }>()

function wireText(message: ModelMessage, model: string): string {
  const known = texts.get(message)
  if (known !== undefined && (known.model === null || known.model === model)) return known.text
  const text = JSON.stringify(messageToWire(message, model))
  const hasReasoning = message.role === 'assistant' && message.reasoning !== undefined
  texts.set(message, { model: hasReasoning ? model : null, text })
  return text
}

const toolToWire = ({ name, means, parameters }: ToolDescription) => ({
  type: 'function',
  function: { name, description: means, parameters },
})

function messageToWire(message: ModelMessage, model: string): object {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: message.text }
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: message.text }
    case 'assistant':
      return turnToWire(message, model)
    default:
      return assertNever(message)
  }
}

function turnToWire({ text, toolCalls, reasoning = [] }: ModelMessage & { role: 'assistant' }, model: string): object {
  // Null is for calls alone: without them servers want a text, if only an empty one.
  if (toolCalls.length === 0) return { role: 'assistant', content: text }
  const kept = reasoning.filter((piece) => piece.model === model)
  const isSeal = (entry: unknown) => isFields(entry) && 'extra_content' in entry
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    ...Object.assign({}, ...kept.map(({ entry }) => (isFields(entry) && !isSeal(entry) ? ownFields(entry) : {}))),
    tool_calls: toolCalls.map(({ id, name, argumentsText }, place) => ({
      id,
      type: 'function',
      function: { name, arguments: sendableArguments(argumentsText) },
      ...Object.assign(
        {},
        ...kept.filter((piece) => piece.beforeCall === place && isSeal(piece.entry)).map(({ entry }) => entry),
      ),
    })),
  }
}

/** Of what was kept only what belongs into a message here: a conversation may have begun on the other interface. */
const ownFields = ({ reasoning_content, reasoning_details }: Readonly<Record<string, unknown>>) => ({
  ...(reasoning_content === undefined ? {} : { reasoning_content }),
  ...(reasoning_details === undefined ? {} : { reasoning_details }),
})

/** Malformed arguments are told to the model in the result; sent back as they are, some servers refuse the call. */
export function sendableArguments(argumentsText: string): string {
  try {
    JSON.parse(argumentsText)
    return argumentsText
  } catch {
    return '{}'
  }
}
