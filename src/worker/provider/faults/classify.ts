import { causeVerdict } from './causes.ts'
import { codeVerdict } from './codes.ts'
import { type Envelope, readEnvelope } from './envelope.ts'
import type { CallEvidence } from './evidence.ts'
import type { FaultReason, ProviderFault, Verdict } from './fault.ts'
import { isMoneyText, isOverflowText, isWrongKeyText } from './phrases.ts'
import { statusVerdict } from './statuses.ts'
import { findWaitHint } from './wait-hint.ts'

/**
 * What a provider's refusal means. Pure: the same evidence gives the same fault. The order of the tests is that of
 * worker-facts b.3: own flags, structured codes, validation before overflow, money before rate, then the status. What
 * nobody has seen before is `failed` with reason `unknown`, never transient: it has to count.
 */
export function classify(evidence: CallEvidence, nowMs: number): ProviderFault {
  const envelope = readEnvelope(evidence.body ?? '')
  const { headers } = evidence
  const retryAfterMs = findWaitHint({ headers, json: envelope.json, message: envelope.message, nowMs })
  const [faultClass, reason] = decide(evidence, envelope, retryAfterMs !== null)
  return {
    class: faultClass,
    reason,
    status: evidence.status,
    code: envelope.code,
    type: envelope.type,
    param: envelope.param,
    message: envelope.message === '' ? describe(evidence, reason) : envelope.message,
    requestId: headers['x-request-id'] ?? null,
    retryAfterMs: faultClass === 'transient' ? retryAfterMs : null,
    phase: evidence.phase,
  }
}

function decide(evidence: CallEvidence, envelope: Envelope, hinted: boolean): Verdict {
  if (evidence.cutBy === 'interrupted') return ['interrupted', 'interrupted']
  if (evidence.cutBy !== null) return ['transient', 'timeout']
  if (evidence.body === null) return causeVerdict(evidence)
  const status = meantStatus(evidence, envelope)
  return (
    codeVerdict(envelope, { status, hinted }) ??
    keyVerdict(envelope, status) ??
    validationVerdict(envelope, status) ??
    overflowVerdict(envelope, status) ??
    moneyVerdict(envelope, { status, hinted }) ??
    upstreamVerdict(envelope, status) ??
    statusVerdict(status, { isJson: envelope.json !== undefined, hinted })
  )
}

/** In a 200 and in a stream the code stands for the status. */
function meantStatus(evidence: CallEvidence, envelope: Envelope): number | null {
  const refused = evidence.status !== null && evidence.status >= 300
  return refused ? evidence.status : envelope.statusCode
}

/** xAI and Google answer a wrong key with 400. */
function keyVerdict(envelope: Envelope, status: number | null): Verdict | undefined {
  return status === 400 && isWrongKeyText(envelope.message) ? ['needs_human', 'auth'] : undefined
}

/** Before overflow: a complaint about `max_tokens` has the same words. The named parameter decides. */
function validationVerdict(envelope: Envelope, status: number | null): Verdict | undefined {
  const aboutInput = envelope.param === null || /^(?:messages|input|prompt)\b/.test(envelope.param)
  return !aboutInput && (status === 400 || status === 422) ? ['failed', 'unsupported_param'] : undefined
}

function overflowVerdict(envelope: Envelope, status: number | null): Verdict | undefined {
  const canBe = status === null || (status >= 400 && status < 500 && status !== 429)
  return canBe && isOverflowText(envelope.message) ? ['overflow', 'context_overflow'] : undefined
}

function moneyVerdict(envelope: Envelope, { status, hinted }: { status: number | null; hinted: boolean }) {
  if (hinted || ![400, 402, 403, 429].includes(status ?? 0) || !isMoneyText(envelope.message)) return undefined
  const reason = /\bspend/i.test(envelope.message) ? 'spend_limit' : 'billing'
  return ['needs_human', reason] satisfies Verdict
}

function upstreamVerdict(envelope: Envelope, status: number | null): Verdict | undefined {
  return envelope.upstream && status === 429 ? ['transient', 'upstream_rate_limit'] : undefined
}

/** Where the provider said nothing itself. */
function describe({ cutBy, headers, cause, phase, status }: CallEvidence, reason: FaultReason): string {
  switch (cutBy) {
    case 'interrupted':
      return 'interrupted'
    case 'first_byte':
      return 'no answer within the time for the first byte'
    case 'idle':
      return 'the answer stalled: no event within the idle time'
    case 'whole_call':
      return 'the call took longer than a whole call may'
    case null:
      break
  }
  if (headers.location !== undefined) {
    return `redirected to ${headers.location}, which is not followed because the key would go along`
  }
  const thrown = innermostMessage(cause)
  if (reason === 'dropped_stream') return thrown === '' ? 'it ended without a finish reason' : `it was cut (${thrown})`
  if (thrown !== '') return thrown
  if (status === null) return 'the call ended without an answer'
  return phase === 'body' && status === 200 ? 'the answer is no completion' : `HTTP ${status} without a message`
}

/** A connection that tried several addresses fails with a list and no text of its own: the first speaks for all. */
function innermostMessage(thrown: unknown): string {
  let inner = thrown
  let message = ''
  for (let depth = 0; depth < 8 && inner instanceof Error; depth += 1) {
    message = inner.message || message
    inner = inner.cause ?? (inner instanceof AggregateError ? inner.errors[0] : undefined)
  }
  return message.slice(0, 500)
}
