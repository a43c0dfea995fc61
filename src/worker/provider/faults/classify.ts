import { cutAtWord } from '../../../kernel/index.ts'
import { causeVerdict } from './causes.ts'
import { codeVerdict } from './codes.ts'
import { isLarge, statedWindow } from './conversation-size.ts'
import { describeEvidence } from './describe-evidence.ts'
import { type Envelope, readEnvelope } from './envelope.ts'
import type { CallEvidence } from './evidence.ts'
import type { ProviderFault, Verdict } from './fault.ts'
import { keepRaw } from './kept-text.ts'
import {
  isEmptyTalk,
  isGuardrailText,
  isLargerThanQuotaText,
  isMoneyText,
  isNoModelText,
  isNoQuotaText,
  isOverflowText,
  isPlanText,
  isPolicyRouteText,
  isQuotaText,
  isRateText,
  isSpendText,
  isUnsupportedText,
  isWrongKeyText,
} from './phrases.ts'
import { guessProvider } from './provider-name.ts'
import { statusVerdict } from './statuses.ts'
import { findWaitHint } from './wait-hint.ts'

const messageChars = 500

/**
 * What a provider's refusal means. Pure: the same evidence gives the same fault; and whatever the bytes, it answers and
 * does not throw. The order of the tests is that of worker-facts b.3: own flags, structured codes, validation before
 * overflow, money before rate, then the status, then the cause. What nobody has seen before is `failed` with reason
 * `unknown`, never transient: it has to count.
 */
export function classify(evidence: CallEvidence, nowMs: number): ProviderFault {
  const body = evidence.body ?? ''
  const envelope = readEnvelope(body)
  const { headers } = evidence
  const hintMs = findWaitHint({ headers, json: envelope.json, message: envelope.message, nowMs })
  const isPage = isHtml(body)
  // A page for people is no word of the provider's: a firewall's may talk of anything.
  const text = isPage ? '' : envelope.text
  const [faultClass, reason] = decide(evidence, { ...envelope, text, hinted: hintMs !== null })
  const retryAfterMs = faultClass === 'transient' ? hintMs : null
  const raw = keepRaw(evidence.body)
  const said = cutAtWord(envelope.message, messageChars)
  return {
    class: faultClass,
    reason,
    provider: guessProvider({ baseUrl: evidence.baseUrl, headers, json: envelope.json, message: envelope.message }),
    status: evidence.status,
    code: envelope.code,
    type: envelope.type,
    param: envelope.param,
    message: said === '' ? describeEvidence(evidence, { reason, body: isPage ? 'page' : 'other' }) : said,
    requestId: requestIdIn(headers) ?? envelope.requestId,
    retryAfterMs,
    resetAtMs: retryAfterMs === null ? null : nowMs + retryAfterMs,
    phase: evidence.phase,
    attempt: evidence.attempt ?? 1,
    statedWindowTokens: faultClass === 'overflow' ? statedWindow(envelope.text, envelope.json) : null,
    rawSha256: raw.sha256,
    rawHead: raw.head,
  }
}

interface Said extends Envelope {
  /** It says when to come again. */
  readonly hinted: boolean
}

function decide(evidence: CallEvidence, said: Said): Verdict {
  const own = ownVerdict(evidence)
  if (own !== undefined) return own
  const refused = evidence.status !== null && evidence.status >= 300
  if (evidence.body === null && !refused) return causeVerdict(evidence)
  const status = refused ? evidence.status : said.statusCode // in a 200 and in a stream the code stands for the status
  return (
    codeVerdict(said, { status, hinted: said.hinted }) ??
    accessVerdict(said, status) ??
    validationVerdict(said, status) ??
    overflowVerdict(said, status) ??
    moneyVerdict(said, status) ??
    upstreamVerdict(said, status) ??
    wordlessVerdict(evidence, said) ??
    statusVerdict(status, { isJson: said.json !== undefined, hinted: said.hinted })
  )
}

function ownVerdict({ cutBy }: CallEvidence): Verdict | undefined {
  if (cutBy === null) return undefined
  if (cutBy === 'interrupted') return ['interrupted', 'interrupted']
  return cutBy === 'budget' || cutBy === 'run' ? ['failed', 'budget'] : ['transient', 'timeout']
}

/** xAI and Google answer a wrong key with 400, others a wrong model; OpenRouter has settings that leave no provider. */
function accessVerdict({ text, param, json }: Said, status: number | null): Verdict | undefined {
  const refusesRequest = status === 400 || status === 422
  if (refusesRequest && isWrongKeyText(text)) return ['needs_human', 'auth']
  if (status === 404 && isPolicyRouteText(text)) return ['needs_human', 'policy_route']
  if (json === undefined || !(refusesRequest || status === null || status === 404)) return undefined
  const aboutModel = (param === 'model' && refusesRequest) || isNoModelText(text)
  return aboutModel ? ['needs_human', 'model_not_found'] : undefined
}

/** Before overflow: a complaint about `max_tokens` has the same words. The named parameter decides. */
function validationVerdict({ text, param }: Said, status: number | null): Verdict | undefined {
  if (status !== 400 && status !== 422) return undefined
  if (/^(?:tools|functions)\b/.test(param ?? '')) return ['failed', 'tool_schema']
  const aboutInput = param === null || /^(?:messages|input|input_tokens|prompt)\b/.test(param)
  return !aboutInput || isUnsupportedText(text) ? ['failed', 'unsupported_param'] : undefined
}

function overflowVerdict({ text }: Said, status: number | null): Verdict | undefined {
  const is = status === 429 ? isLargerThanQuotaText(text) : isOverflowText(text)
  return is ? ['overflow', 'context_overflow'] : undefined
}

function moneyVerdict({ text, words, json, hinted }: Said, status: number | null): Verdict | undefined {
  if (status === null ? json === undefined : ![400, 402, 403, 429].includes(status)) return undefined
  if (status === 429 && isNoQuotaText(text)) return ['needs_human', 'billing']
  // An API gateway that counts calls says with 403 when they are allowed again.
  if (hinted && status !== 400) return status === 403 && isQuotaText(text) ? ['transient', 'rate_limit'] : undefined
  if (isSpendText(text)) return ['needs_human', 'spend_limit']
  if (status === 429 && isRateText(text)) return undefined
  const aboutPlan = (status === 429 || status === 402) && isPlanText(text) && !words.includes('rate_limit_exceeded')
  return isMoneyText(text) || aboutPlan ? ['needs_human', 'billing'] : undefined
}

function upstreamVerdict({ upstream, text, json }: Said, status: number | null): Verdict | undefined {
  if (upstream && status === 429) return ['transient', 'upstream_rate_limit']
  // A guardrail of an aggregator: the words have to change, not the key.
  return status === 403 && json !== undefined && isGuardrailText(text) ? ['failed', 'content_filter'] : undefined
}

/** A large conversation that is refused with 400, or answered without any event, and not a word: it is too large. */
function wordlessVerdict({ status, body, conversation }: CallEvidence, said: Said): Verdict | undefined {
  if (!isLarge(conversation)) return undefined
  const bare = status === 400 && said.words.length === 0 && isEmptyTalk(said.message)
  const noEvents = status === 200 && hasNoEvents(body ?? '')
  return bare || noEvents ? ['overflow', 'context_overflow'] : undefined
}

const hasNoEvents = (body: string): boolean =>
  body.split('\n').every((line) => /^\ufeff?\s*(?::|data: ?\[DONE\]\s*$|$)/.test(line.slice(0, 200)))

const isHtml = (body: string): boolean => /^\ufeff?\s{0,100}<(?:!doctype|html|head|body)\b/i.test(body.slice(0, 200))

const requestIdHeaders = ['x-request-id', 'request-id', 'apim-request-id', 'x-ms-request-id', 'cf-ray']

function requestIdIn(headers: Readonly<Record<string, string>>): string | null {
  const name = requestIdHeaders.find((each) => headers[each] !== undefined && headers[each] !== '')
  return name === undefined ? null : (headers[name] ?? '').slice(0, 200)
}
