import { causeVerdict } from './causes.ts'
import { codeVerdict } from './codes.ts'
import { type Envelope, readEnvelope } from './envelope.ts'
import type { CallPhase, ProviderFault } from './fault.ts'
import { isMoneyText, isOverflowText, isWrongKeyText } from './phrases.ts'
import { statusVerdict } from './statuses.ts'
import { findWaitHint } from './wait-hint.ts'

/** Everything that is known of a call that did not work. */
export interface CallEvidence {
  /** Our own doing goes first: text is never searched for "timeout". */
  readonly cutBy: 'interrupted' | 'first_byte' | 'idle' | 'whole_call' | null
  readonly phase: CallPhase
  /** Null when no headers came. */
  readonly status: number | null
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Raw body of a refusal, or of the error inside a 200 or a stream; null when there was none. */
  readonly body: string | null
  /** What was thrown, where something was. */
  readonly cause: unknown
}

/** Class and reason, the part of a fault that is decided. */
export type Verdict = readonly [ProviderFault['class'], ProviderFault['reason']]

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
    message: envelope.message === '' ? describe(evidence) : envelope.message,
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

function describe(evidence: CallEvidence): string {
  switch (evidence.cutBy) {
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
  if (evidence.headers.location !== undefined) {
    return `redirected to ${evidence.headers.location}, which is not followed because the key would go along`
  }
  if (evidence.cause instanceof Error) return innermost(evidence.cause).message.slice(0, 500)
  return evidence.status === null ? 'the call ended without an answer' : `HTTP ${evidence.status} without a message`
}

function innermost(error: Error): Error {
  let inner = error
  for (let depth = 0; depth < 8 && inner.cause instanceof Error; depth += 1) inner = inner.cause
  return inner
}
