/**
 * One normalised refusal or failure of a provider: what it means and everything that was structured in it.
 * `transient` says nothing about the task (a wall). `failed`: this conversation cannot go on. `needs_human`: nothing will
 * change until somebody acts on money or access. `overflow`: the context is too large. `interrupted`: we were told to stop.
 */
export interface ProviderFault {
  readonly class: FaultClass
  readonly reason: FaultReason
  /** Whose words these are, by the address or by the form of the answer; null where neither tells. */
  readonly provider: string | null
  readonly status: number | null
  /** Structured fields of the body, as text: providers send strings, numbers and null. In lower case but for `param`. */
  readonly code: string | null
  readonly type: string | null
  readonly param: string | null
  /** At most 500 characters, tags stripped. Not masked yet: whoever writes it somewhere masks it. */
  readonly message: string
  readonly requestId: string | null
  /** How long the provider asks us to wait, from now: more than 0, at most a day. */
  readonly retryAfterMs: number | null
  /** The same as a time. */
  readonly resetAtMs: number | null
  readonly phase: CallPhase
  /** Attempts of this call so far, this one included. */
  readonly attempt: number
  /** Of an overflow: the window that the server says it has. */
  readonly statedWindowTokens: number | null
  /** Hex SHA-256 of the raw body; null where there was none. */
  readonly rawSha256: string | null
  /** Its beginning, at most 2 KiB of UTF-8. Not masked yet. */
  readonly rawHead: string | null
}

export type FaultClass = 'transient' | 'failed' | 'needs_human' | 'overflow' | 'interrupted'

/** Words of a run report's `reason` that have to do with a provider or a model. */
export type FaultReason =
  // walls
  | 'rate_limit'
  | 'upstream_rate_limit'
  | 'overloaded'
  | 'server_error'
  | 'timeout'
  | 'dropped_stream'
  | 'protocol'
  | 'unreachable'
  // money and access
  | 'billing'
  | 'spend_limit'
  | 'auth'
  | 'permission'
  | 'region'
  | 'model_not_found'
  | 'policy_route'
  | 'redirect'
  | 'tls'
  | 'dns'
  // the conversation
  | 'context_overflow'
  | 'output_truncated'
  | 'content_filter'
  | 'refusal'
  | 'bad_request'
  | 'unsupported_param'
  | 'tool_schema'
  | 'empty_reply'
  | 'reasoning_only'
  | 'loop_guard'
  | 'budget'
  | 'approval_needed'
  | 'interrupted'
  | 'unknown'

/** Class and reason: the part of a fault that is decided, the rest is copied from the evidence. */
export type Verdict = readonly [FaultClass, FaultReason]

/**
 * How far the call had come. connect: nothing heard. headers: connected, nothing answered. body: headers heard. stream:
 * events heard. after-output: words or tool calls heard.
 */
export type CallPhase = 'connect' | 'headers' | 'body' | 'stream' | 'after-output'

/** What somebody has to act on, where nothing else helps. */
export function needsHuman({ class: faultClass, reason }: Pick<ProviderFault, 'class' | 'reason'>) {
  if (faultClass !== 'needs_human') return null
  return reason === 'billing' || reason === 'spend_limit' ? 'money' : 'access'
}
