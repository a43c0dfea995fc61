import { assertNever, isFields } from '../../kernel/index.ts'
import { closeWith, sendableArguments } from './chat-completions.ts'
import type { ModelCall, ModelMessage, ToolDescription } from './model-call.ts'
import type { KeptReasoning } from './reply.ts'
import { ResponsesReader } from './responses-reader.ts'
import type { Quirk, WireApi, WireBody } from './wire-api.ts'

/**
 * The Responses API. Nothing is kept on the server: a worker lives for one conversation, and a repeat somewhere else would
 * not find it. So reasoning comes sealed and goes back with the next call, without which some models refuse it.
 */
export const responsesApi: WireApi = {
  path: '/responses',
  compose,
  createReader: (model) => new ResponsesReader(model),
}

function compose(call: ModelCall, quirks: ReadonlySet<Quirk>): WireBody {
  const { temperature, reasoning, maxOutputTokens } = call.settings
  const [first] = call.messages
  const hasInstructions = first?.role === 'system'
  const fixed = {
    model: call.model,
    stream: true,
    store: false,
    ...(quirks.has('no_sealed_reasoning') ? {} : { include: ['reasoning.encrypted_content'] }),
    ...(temperature === null ? {} : { temperature }),
    ...(reasoning === null ? {} : { reasoning: { effort: reasoning } }),
    ...(call.tools.length === 0 ? {} : { tools: call.tools.map(toolToWire) }),
    ...(hasInstructions ? { instructions: first.text } : {}),
  }
  const varying = {
    ...(maxOutputTokens === null ? {} : { max_output_tokens: maxOutputTokens }),
    ...(call.tools.length > 0 && call.toolChoice === 'none' ? { tool_choice: 'none' } : {}),
  }
  return {
    head: `${JSON.stringify(fixed).slice(0, -1)},"input":[`,
    messages: call.messages
      .slice(hasInstructions ? 1 : 0)
      .map((message) => wireText(message, call.model))
      .filter((text) => text !== ''),
    tail: closeWith(varying),
  }
}

/** Made once for each message and model: reasoning of one model is of no use to another and is left out for it. */
const texts = new WeakMap<ModelMessage, { readonly model: string; readonly text: string }>()

function wireText(message: ModelMessage, model: string): string {
  const known = texts.get(message)
  if (known?.model === model) return known.text
  const text = entriesOf(message, model)
    .map((entry) => JSON.stringify(entry))
    .join(',')
  texts.set(message, { model, text })
  return text
}

const toolToWire = ({ name, means, parameters }: ToolDescription) => ({
  type: 'function',
  name,
  description: means,
  parameters,
  strict: false,
})

/** A message is one entry, a turn of the model as many as it had: reasoning, text, calls. */
function entriesOf(message: ModelMessage, model: string): readonly unknown[] {
  switch (message.role) {
    case 'system':
    case 'user':
      return [{ role: message.role, content: message.text }]
    case 'tool':
      return [{ type: 'function_call_output', call_id: message.callId, output: message.text }]
    case 'assistant':
      return turnEntries(message, model)
    default:
      return assertNever(message)
  }
}

function turnEntries(message: ModelMessage & { role: 'assistant' }, model: string): readonly unknown[] {
  const kept = (message.reasoning ?? []).filter((piece) => piece.model === model && isReasoningEntry(piece.entry))
  const reasoningBefore = (call: (place: number) => boolean) =>
    kept.filter(({ beforeCall }) => call(beforeCall)).map(({ entry }: KeptReasoning) => entry)
  const text = message.text === '' ? [] : [{ role: 'assistant', content: message.text }]
  const calls = message.toolCalls.flatMap(({ id, name, argumentsText }, place) => [
    ...(place === 0 ? [] : reasoningBefore((before) => before === place)),
    { type: 'function_call', call_id: id, name, arguments: sendableArguments(argumentsText) },
  ])
  const follows = text.length > 0 || calls.length > 0
  return [...(follows ? reasoningBefore((before) => before === 0) : []), ...text, ...calls]
}

/** A conversation may have begun on the other interface, whose reasoning has another form. */
const isReasoningEntry = (entry: unknown): boolean => isFields(entry) && entry.type === 'reasoning'
