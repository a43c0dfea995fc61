import type { Envelope } from './envelope.ts'
import type { Verdict } from './fault.ts'

/** Codes and types that mean one thing, whatever the status (worker-facts b.5). All in lower case. */
const meanings: readonly (readonly [verdict: Verdict, words: readonly string[]])[] = [
  [
    ['needs_human', 'billing'],
    [
      'insufficient_quota',
      'billing_hard_limit_reached',
      'billing_not_active',
      'billing_error',
      'insufficient_balance',
      'insufficient_credits',
      'credit_balance_too_low',
      'payment_required',
      'usage_not_included',
    ],
  ],
  [
    ['needs_human', 'spend_limit'],
    ['spend_limit_reached', 'spend_limit_exceeded', 'budget_exceeded'],
  ],
  [
    ['needs_human', 'auth'],
    ['invalid_api_key', 'authentication_error', 'invalid_authentication', 'unauthenticated', 'account_deactivated'],
  ],
  [
    ['needs_human', 'permission'],
    ['permission_error', 'permission_denied', 'key_model_access_denied', 'access_denied'],
  ],
  [['needs_human', 'region'], ['unsupported_country_region_territory']],
  [
    ['needs_human', 'model_not_found'],
    ['model_not_found', 'deploymentnotfound', 'invalid_model'],
  ],
  [
    ['overflow', 'context_overflow'],
    ['context_length_exceeded', 'exceed_context_size', 'exceed_context_size_error', 'request_too_large'],
  ],
  [
    ['failed', 'content_filter'],
    ['content_filter', 'content_policy_violation', 'invalid_prompt', 'moderation_blocked'],
  ],
  [
    ['failed', 'unsupported_param'],
    ['unsupported_parameter', 'unsupported_value', 'unknown_parameter', 'invalid_parameter'],
  ],
]

/** Words that only help where the status does not contradict them: some servers put them into refusals of a request. */
const transients: readonly (readonly [verdict: Verdict, words: readonly string[]])[] = [
  [
    ['transient', 'rate_limit'],
    ['rate_limit_exceeded', 'rate_limit_error', 'slow_down', 'too_many_requests', 'throttling_error'],
  ],
  [
    ['transient', 'overloaded'],
    [
      'overloaded_error',
      'server_is_overloaded',
      'service_unavailable_error',
      'capacity_exceeded',
      'model_capacity_exhausted',
      'unavailable',
    ],
  ],
  [
    ['transient', 'server_error'],
    ['server_error', 'api_error', 'internal_server_error', 'internal_error'],
  ],
]

/** What the structured code or type says, or undefined where it says nothing. A money code wins over a wait hint. */
export function codeVerdict(
  { code, type, upstream }: Envelope,
  { status, hinted }: { readonly status: number | null; readonly hinted: boolean },
): Verdict | undefined {
  const said = [code, type].filter((word) => word !== null)
  const among = (rows: typeof meanings) => rows.find(([, words]) => said.some((word) => words.includes(word)))?.[0]
  const fixed = among(meanings)
  if (fixed !== undefined) return fixed
  if (said.includes('usage_limit_reached')) return hinted ? ['transient', 'rate_limit'] : ['needs_human', 'billing']
  if (status !== null && status >= 500 && said.includes('invalid_request_error')) return ['failed', 'bad_request']
  const refusesRequest = status !== null && status >= 400 && status < 500 && ![408, 409, 425, 429, 498].includes(status)
  if (refusesRequest || upstream) return undefined
  const transient = among(transients)
  // A 429 of any kind may still be about money: its text is asked before.
  return transient?.[1] === 'rate_limit' && status === 429 ? undefined : transient
}
