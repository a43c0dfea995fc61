import { systemClock } from '../../../src/kernel/index.ts'
import { callModel } from '../../../src/worker/provider/call-model.ts'
import type { CallResult, Endpoint, ModelCall, ModelMessage } from '../../../src/worker/provider/model-call.ts'

export const endpointAt = (baseUrl: string, api: Endpoint['api'] = 'chat_completions'): Endpoint => ({
  baseUrl,
  apiKey: 'rehearsal-key-canary',
  api,
  headers: {},
})

export const opening: readonly ModelMessage[] = [
  { role: 'system', text: 'You work.' },
  { role: 'user', text: 'go' },
]

/** A call as the turn loop makes it, with limits that a test can wait for. */
export function aCall(baseUrl: string, parts: Partial<ModelCall> = {}): ModelCall {
  return {
    endpoint: endpointAt(baseUrl),
    model: 'm',
    settings: { temperature: null, reasoning: null, maxOutputTokens: null },
    messages: opening,
    tools: [],
    toolChoice: 'auto',
    limits: { firstByteMs: 60_000, firstEventMs: 60_000, idleMs: 60_000, wholeCallMs: 60_000 },
    contextTokens: 0,
    signal: new AbortController().signal,
    ...parts,
  }
}

export const ask = (baseUrl: string, parts: Partial<ModelCall> = {}): Promise<CallResult> =>
  callModel({ clock: systemClock }, aCall(baseUrl, parts))

/** The parts of a result that tests compare, on one level. */
export function told(result: CallResult): object {
  if (result.kind === 'reply') return { text: result.reply.text, finish: result.reply.finishReason }
  const { class: faultClass, reason, phase } = result.fault
  return { class: faultClass, reason, phase, partial: result.partialText }
}
