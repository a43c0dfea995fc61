import type { Envelope } from './envelope.ts'
import type { Verdict } from './fault.ts'

type Row = readonly [verdict: Verdict, words: readonly string[]]

/** Words that mean one thing, whatever the status (worker-facts b.5). All in lower case. */
const fixed = byWord([
  [
    ['needs_human', 'billing'],
    [
      ...[
        'insufficient_quota',
        'billing_hard_limit_reached',
        'billing_not_active',
        'billing_error',
        'billing_disabled',
      ],
      ...['insufficient_balance', 'insufficient_credits', 'insufficient_funds', 'out_of_credits', 'no_credits'],
      ...['credit_balance_too_low', 'credits_exhausted', 'payment_required', 'usage_not_included', 'credits'],
    ],
  ],
  [
    ['needs_human', 'spend_limit'],
    [
      ...['spend_limit', 'spend_limit_reached', 'spend_limit_exceeded', 'enforced_spend_limit', 'budget_exceeded'],
      ...['organization_spend_limit_exceeded', 'project_spend_limit_exceeded', 'organization_usage_limit_exceeded'],
      ...['key_limit', 'key_limit_exceeded', 'budgetexceedederror'],
    ],
  ],
  [
    ['needs_human', 'auth'],
    [
      ...['invalid_api_key', 'authentication_error', 'invalid_authentication', 'unauthenticated', 'unauthorized'],
      ...['account_deactivated', 'api_key_invalid', 'invalid_token', 'invalid_credentials', 'authenticationerror'],
    ],
  ],
  [
    ['needs_human', 'permission'],
    [
      ...['permission_error', 'permission_denied', 'key_model_access_denied', 'access_denied', 'validation_required'],
      ...['ip_not_authorized', 'service_disabled', 'consumer_suspended', 'permissiondeniederror'],
    ],
  ],
  [['needs_human', 'region'], ['unsupported_country_region_territory']],
  [
    ['needs_human', 'model_not_found'],
    ['model_not_found', 'deploymentnotfound', 'invalid_model', 'model_not_available', 'notfounderror'],
  ],
  [
    ['overflow', 'context_overflow'],
    [
      ...['context_length_exceeded', 'exceed_context_size', 'exceed_context_size_error', 'context_window_exceeded'],
      ...[
        'model_context_window_exceeded',
        'request_too_large',
        'string_above_max_length',
        'contextwindowexceedederror',
      ],
    ],
  ],
  [
    ['failed', 'content_filter'],
    [
      ...['content_filter', 'content_policy_violation', 'invalid_prompt', 'moderation_blocked', 'moderation'],
      ...[
        'responsibleaipolicyviolation',
        'content_blocked',
        'data_inspection_failed',
        'guardrail',
        'contentpolicyviolationerror',
      ],
    ],
  ],
  [
    ['failed', 'unsupported_param'],
    ['unsupported_parameter', 'unsupported_value', 'unknown_parameter', 'invalid_parameter', 'extra_forbidden'],
  ],
  [
    ['failed', 'tool_schema'],
    ['invalid_function_parameters', 'tool_use_failed', 'invalid_tool_schema'],
  ],
])

/** Words that only help where the status does not contradict them: some servers put them into refusals of a request. */
const transient = byWord([
  [
    ['transient', 'rate_limit'],
    [
      ...['rate_limit_exceeded', 'rate_limit_error', 'rate_limited', 'slow_down', 'too_many_requests'],
      ...['throttling_error', 'ratelimiterror', 'throttled'],
    ],
  ],
  [
    ['transient', 'overloaded'],
    [
      ...['overloaded_error', 'server_is_overloaded', 'service_unavailable_error', 'capacity_exceeded'],
      ...[
        'model_capacity_exhausted',
        'unavailable',
        'unavailable_error',
        'engine_overloaded',
        'overloaded',
        'serviceunavailableerror',
      ],
    ],
  ],
  [
    ['transient', 'timeout'],
    ['timeout_error', 'deadline_exceeded', 'gateway_timeout'],
  ],
  [
    ['transient', 'server_error'],
    ['server_error', 'api_error', 'internal_server_error', 'internal_error', 'internal', 'internalservererror'],
  ],
])

/** Only ours to wait for: what a request took in advance comes back (OpenRouter). */
const inFlightBudget = 'in_flight_budget'

/** What the structured words say, or undefined where they say nothing. A money code wins over a wait hint. */
export function codeVerdict(
  { words, upstream, text }: Envelope,
  { status, hinted }: { readonly status: number | null; readonly hinted: boolean },
): Verdict | undefined {
  const among = (rows: ReadonlyMap<string, Verdict>) => words.map((word) => rows.get(word)).find((found) => found)
  if (words.some((word) => word.replaceAll('-', '_') === inFlightBudget)) {
    const never = words.some((word) => /^weight/.test(word)) || /\bweight exceeds\b/i.test(text)
    return never ? ['failed', 'budget'] : ['transient', 'rate_limit']
  }
  const known = among(fixed)
  if (known !== undefined) return known
  if (words.includes('usage_limit_reached')) return hinted ? ['transient', 'rate_limit'] : ['needs_human', 'billing']
  if (words.includes('failed_precondition') && status === 400) return preconditionVerdict(text)
  if (status !== null && status >= 500 && words.some(isRefusedRequest)) return ['failed', 'bad_request']
  const refusesRequest = status !== null && status >= 400 && status < 500 && ![408, 409, 425, 429, 498].includes(status)
  if (refusesRequest || upstream) return undefined
  const wall = among(transient)
  // A 429 of any kind may still be about money: its text is asked before.
  return wall?.[1] === 'rate_limit' && status === 429 ? undefined : wall
}

/** Google answers with it where the country or the plan of the account does not allow what was asked. */
function preconditionVerdict(text: string): Verdict {
  if (/\b(?:location|country|region)\b/i.test(text)) return ['needs_human', 'region']
  return ['needs_human', /\b(?:billing|free tier)\b/i.test(text) ? 'billing' : 'permission']
}

const isRefusedRequest = (word: string): boolean =>
  ['invalid_request_error', 'invalid_request', 'badrequesterror', 'invalid_argument'].includes(word)

function byWord(rows: readonly Row[]): ReadonlyMap<string, Verdict> {
  return new Map(rows.flatMap(([verdict, words]) => words.map((word) => [word, verdict] as const)))
}
