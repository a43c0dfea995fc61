import { isFields } from '../kernel/index.ts'

/** The last refusal or failure of a provider in a run, also one that a repeat got over, as the worker told it apart. */
export interface ErrorRecord {
  /** transient, failed, needs_human, overflow or interrupted. */
  readonly class: string
  readonly reason: string
  readonly provider: string | null
  /** Of HTTP. */
  readonly status: number | null
  readonly code: string | null
  readonly type: string | null
  readonly param: string | null
  /** Masked, at most 500 characters. */
  readonly message: string
  readonly requestId: string | null
  readonly retryAfterMs: number | null
  /** ISO time. */
  readonly resetAt: string | null
  /** How far the call had come: connect, headers, body, stream, after-output. */
  readonly phase: string
  /** Attempts of that call, this one included. */
  readonly attempt: number
  readonly statedWindowTokens: number | null
  readonly rawSha256: string | null
  /** Beginning of the raw body, masked, at most 2 KiB. */
  readonly rawHead: string | null
}

/** Twice what a worker of ours writes: masks may be longer than what they stand for. */
const mostCharacters = 4_096

/**
 * The record as far as it can be read. It only explains: one that is odd is passed over field by field and never makes a
 * report unusable. Undefined without a class and a reason.
 */
export function readErrorRecord(value: unknown): ErrorRecord | undefined {
  if (!isFields(value)) return undefined
  const text = (name: string) => {
    const field = value[name]
    return typeof field === 'string' ? field.slice(0, mostCharacters) : null
  }
  const count = (name: string) => {
    const field = value[name]
    return typeof field === 'number' && Number.isFinite(field) ? field : null
  }
  const [errorClass, reason] = [text('class'), text('reason')]
  if (errorClass === null || reason === null) return undefined
  return {
    class: errorClass,
    reason,
    provider: text('provider'),
    status: count('status'),
    code: text('code'),
    type: text('type'),
    param: text('param'),
    message: text('message') ?? '',
    requestId: text('requestId'),
    retryAfterMs: count('retryAfterMs'),
    resetAt: text('resetAt'),
    phase: text('phase') ?? '',
    attempt: count('attempt') ?? 1,
    statedWindowTokens: count('statedWindowTokens'),
    rawSha256: text('rawSha256'),
    rawHead: text('rawHead'),
  }
}
