import type { ProviderFault } from './faults/fault.ts'
import type { ModelCall } from './model-call.ts'
import type { Quirk } from './wire-api.ts'

/** Fields of ours that not every server takes, and what is sent instead. Nothing that a person asked for is among them. */
const refusable: readonly (readonly [field: string, quirk: Quirk, api: ModelCall['endpoint']['api']])[] = [
  ['max_completion_tokens', 'old_token_limit', 'chat_completions'],
  ['stream_options', 'no_stream_options', 'chat_completions'],
  ['reasoning_content', 'no_reasoning', 'chat_completions'],
  ['reasoning_details', 'no_reasoning', 'chat_completions'],
  ['extra_content', 'no_reasoning', 'chat_completions'],
  ['include', 'no_sealed_reasoning', 'responses'],
  ['encrypted_content', 'no_sealed_reasoning', 'responses'],
  ['Encrypted content', 'no_sealed_reasoning', 'responses'],
]

/**
 * What a refusal teaches of its server: the field of ours that it does not take, or undefined. Only a refusal of the
 * request itself is looked at, and only for names of fields that were sent.
 */
export function learnQuirk(fault: ProviderFault, call: ModelCall, known: ReadonlySet<Quirk>): Quirk | undefined {
  if (fault.status !== 400 && fault.status !== 422) return undefined
  if (fault.class !== 'failed') return undefined
  const { param, message } = fault
  const found = refusable.find(
    ([field, quirk, api]) =>
      api === call.endpoint.api &&
      !known.has(quirk) &&
      (param === null ? message.includes(field) : param.split(/[.[\]]+/).includes(field)),
  )
  return found === undefined || !wasSent(found[1], call) ? undefined : found[1]
}

/** What is complained of may be what was missing. */
function wasSent(quirk: Quirk, { settings, messages }: ModelCall): boolean {
  if (quirk === 'old_token_limit') return settings.maxOutputTokens !== null
  if (quirk !== 'no_reasoning') return true
  return messages.some((message) => message.role === 'assistant' && message.reasoning !== undefined)
}
