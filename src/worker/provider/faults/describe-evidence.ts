import { cutAtWord } from '../../../kernel/index.ts'
import { causesOf } from './causes.ts'
import type { CallEvidence, OwnFlag } from './evidence.ts'
import type { FaultReason } from './fault.ts'

const flagsInWords: Readonly<Record<OwnFlag, string>> = {
  interrupted: 'interrupted',
  first_byte: 'no answer within the time for the first byte',
  first_event: 'no event of the model within the time for the first one',
  idle: 'the answer stalled: no event within the idle time',
  whole_call: 'the call took longer than a whole call may',
  run: 'the time of the whole run is used up',
  budget: 'the budget of the run is used up',
}

/** One sentence for a call that ended without a word of the provider's own. */
export function describeEvidence(
  { cutBy, headers, cause, phase, status }: CallEvidence,
  { reason, body }: { readonly reason: FaultReason; readonly body: 'page' | 'other' },
): string {
  if (cutBy !== null) return flagsInWords[cutBy]
  if (status !== null && status >= 300 && status < 400 && headers.location !== undefined) {
    return `redirected to ${cutAtWord(headers.location, 300)}, which is not followed because the key would go along`
  }
  const thrown = innermostMessage(cause)
  if (reason === 'dropped_stream') return thrown === '' ? 'it ended without a finish reason' : `it was cut (${thrown})`
  // Of a refusal the SDK says that it had no body, also where it had one.
  const isRefused = status !== null && (status < 200 || status >= 300)
  if (thrown !== '' && !isRefused) return thrown
  if (status === null) return 'the call ended without an answer'
  if (phase !== 'connect' && !isRefused) return 'the answer is no completion'
  return body === 'page' ? `HTTP ${status} with a page instead of an answer` : `HTTP ${status} without a message`
}

function innermostMessage(thrown: unknown): string {
  const messages = [...causesOf(thrown)].flatMap((cause) => (cause instanceof Error && cause.message) || [])
  return cutAtWord(messages.at(-1) ?? '', 400)
}
