import { assertNever } from '../../kernel/index.ts'
import { ChatReader } from './chat-reader.ts'
import type { ModelCall, ModelMessage, ToolDescription } from './model-call.ts'
import type { Quirk, WireApi, WireBody } from './wire-api.ts'

/** Chat Completions, which every compatible server speaks. */
export const chatCompletions: WireApi = {
  path: '/chat/completions',
  compose,
  createReader: () => new ChatReader(),
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
    messages: call.messages.map(wireText),
    tail: closeWith(varying),
  }
}

/** What stands after the messages: `]}`, or `],"tool_choice":"none"}`. */
export function closeWith(varying: object): string {
  const fields = JSON.stringify(varying).slice(1)
  return fields === '}' ? ']}' : `],${fields}`
}

/** Made once for each message: that is what keeps the bytes the same, and most of what a long conversation costs. */
const texts = new WeakMap<ModelMessage, string>()

function wireText(message: ModelMessage): string {
  const known = texts.get(message)
  if (known !== undefined) return known
  const text = JSON.stringify(messageToWire(message))
  texts.set(message, text)
  return text
}

const toolToWire = ({ name, means, parameters }: ToolDescription) => ({
  type: 'function',
  function: { name, description: means, parameters },
})

function messageToWire(message: ModelMessage): object {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: message.text }
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: message.text }
    case 'assistant':
      return {
        role: 'assistant',
        // Null is for calls alone: without them servers want a text, if only an empty one.
        content: message.text === '' && message.toolCalls.length > 0 ? null : message.text,
        ...(message.toolCalls.length === 0
          ? {}
          : {
              tool_calls: message.toolCalls.map(({ id, name, argumentsText }) => ({
                id,
                type: 'function',
                function: { name, arguments: sendableArguments(argumentsText) },
              })),
            }),
      }
    default:
      return assertNever(message)
  }
}

/** Malformed arguments are told to the model in the result; sent back as they are, some servers refuse the call. */
export function sendableArguments(argumentsText: string): string {
  try {
    JSON.parse(argumentsText)
    return argumentsText
  } catch {
    return '{}'
  }
}
