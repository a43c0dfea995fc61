import type { ChatCompletionCreateParamsStreaming, ChatCompletionMessageParam } from 'openai/resources/chat/completions'
import { assertNever } from '../../kernel/index.ts'
import type { ModelCall, ModelMessage } from './model-call.ts'

/** A call in the words of Chat Completions. */
export function toWire({
  model,
  messages,
  tools,
  settings,
  toolChoice,
}: ModelCall): ChatCompletionCreateParamsStreaming {
  const { temperature, reasoning, maxOutputTokens } = settings
  return {
    model,
    messages: messages.map(messageToWire),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, means, parameters }) => ({
            type: 'function',
            function: { name, description: means, parameters },
          })),
        }),
    ...(tools.length > 0 && toolChoice === 'none' ? { tool_choice: 'none' } : {}),
    ...(temperature === null ? {} : { temperature }),
    ...(reasoning === null ? {} : { reasoning_effort: reasoning }),
    ...(maxOutputTokens === null ? {} : { max_completion_tokens: maxOutputTokens }),
    stream: true,
    stream_options: { include_usage: true },
  }
}

function messageToWire(message: ModelMessage): ChatCompletionMessageParam {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: message.text }
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: message.text }
    case 'assistant':
      return {
        role: 'assistant',
        content: message.text === '' ? null : message.text,
        ...(message.toolCalls.length === 0
          ? {}
          : {
              tool_calls: message.toolCalls.map(({ id, name, argumentsText }) => ({
                id,
                type: 'function',
                // Malformed arguments are told to the model in the result; sent back as they are, some servers refuse the call.
                function: { name, arguments: isJson(argumentsText) ? argumentsText : '{}' },
              })),
            }),
      }
    default:
      return assertNever(message)
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false // which is the answer
  }
}
