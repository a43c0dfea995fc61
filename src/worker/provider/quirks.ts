import type { ProviderFault } from './faults/fault.ts'
import type { ModelCall } from './model-call.ts'
import type { Quirk } from './wire-api.ts'

/** Fields of ours that not every server takes, and what is sent instead. Nothing that a person asked for is among them. */
const refusable: readonly (readonly [field: string, quirk: Quirk, api: ModelCall['endpoint']['api']])[] = [
  ['max_completion_tokens', 'old_token_limit', 'chat_completions'],
  ['stream_options', 'no_stream_options', 'chat_completions'],
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
      (param === null ? message.includes(field) : param === field || param.startsWith(`${field}[`)),
  )
  const limit = call.settings.maxOutputTokens
  return found?.[1] === 'old_token_limit' && limit === null ? undefined : found?.[1]
}
