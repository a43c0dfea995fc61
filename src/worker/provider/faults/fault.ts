/**
 * One normalised refusal or failure of a provider. `transient` says nothing about the task (a wall). `failed`: this
 * conversation cannot go on. `needs_human`: nothing will change until somebody acts on money or access.
 * `overflow`: the context is too large. `interrupted`: we were told to stop.
 */
export interface ProviderFault {
  readonly class: 'transient' | 'failed' | 'needs_human' | 'overflow' | 'interrupted'
  readonly reason: FaultReason
  readonly status: number | null
  /** Structured fields of the body, as text: providers send strings, numbers and null. */
  readonly code: string | null
  readonly type: string | null
  readonly param: string | null
  /** At most 500 characters, tags stripped. Not masked yet: whoever writes it somewhere masks it. */
  readonly message: string
  readonly requestId: string | null
  /** How long the provider asks us to wait, from now. */
  readonly retryAfterMs: number | null
  readonly phase: CallPhase
}

/** Words of a run report's `reason` that a provider can cause. */
export type FaultReason =
  | 'rate_limit'
  | 'upstream_rate_limit'
  | 'overloaded'
  | 'server_error'
  | 'timeout'
  | 'dropped_stream'
  | 'protocol'
  | 'unreachable'
  | 'dns'
  | 'billing'
  | 'spend_limit'
  | 'auth'
  | 'permission'
  | 'region'
  | 'model_not_found'
  | 'redirect'
  | 'tls'
  | 'context_overflow'
  | 'content_filter'
  | 'bad_request'
  | 'unsupported_param'
  | 'interrupted'
  | 'unknown'

/** Class and reason: the part of a fault that is decided, the rest is copied from the evidence. */
export type Verdict = readonly [ProviderFault['class'], FaultReason]

/** How far the call had come: nothing heard, headers heard, events heard. */
export type CallPhase = 'connect' | 'body' | 'stream'

/** What somebody has to act on, where nothing else helps. */
export function needsHuman(fault: ProviderFault): 'money' | 'access' | null {
  if (fault.class !== 'needs_human') return null
  return fault.reason === 'billing' || fault.reason === 'spend_limit' ? 'money' : 'access'
}
