import { assertNever } from '../../kernel/index.ts'
import { type FaultReason, needsHuman, type ProviderFault } from '../provider/faults/fault.ts'
import type { CallUsage } from '../provider/reply.ts'

/** How one `chat -q` ended. `completed` is the only one that may become exit 0. */
export interface ChatEnd {
  readonly kind: 'completed' | 'partial' | 'failed' | 'wall' | 'interrupted'
  /** One word, for machines; null when completed. */
  readonly reason: string | null
  /** One sentence, for people; not masked yet. */
  readonly message: string | null
  readonly needsHuman: 'money' | 'access' | null
  /** How long the provider asked to wait, from the end on. */
  readonly retryAfterMs: number | null
}

/** What was reached so far. It grows while the worker works, so that a stop or a crash can still report it. */
export interface ChatProgress {
  /** The last text of the model: in the end, the answer. */
  text: string
  /** Null until a call reported some: unknown is not 0. */
  usage: CallUsage | null
  /** Calls that were answered. */
  calls: number
  turns: number
  /** Real paths of files that it hands back. */
  readonly handedBack: string[]
}

export const noProgress = (): ChatProgress => ({ text: '', usage: null, calls: 0, turns: 0, handedBack: [] })

export const completed: ChatEnd = {
  kind: 'completed',
  reason: null,
  message: null,
  needsHuman: null,
  retryAfterMs: null,
}

export const interrupted: ChatEnd = {
  kind: 'interrupted',
  reason: 'interrupted',
  message: 'told to stop before the end',
  needsHuman: null,
  retryAfterMs: null,
}

export function failed(reason: string, message: string, kind: 'failed' | 'partial' = 'failed'): ChatEnd {
  return { kind, reason, message, needsHuman: null, retryAfterMs: null }
}

/** Money is a wall, because it says nothing about the task; access is none, because no waiting mends it. */
export function endOfFault(fault: ProviderFault): ChatEnd {
  if (fault.class === 'interrupted') return interrupted
  const needs = needsHuman(fault)
  return {
    kind: fault.class === 'transient' || needs === 'money' ? 'wall' : 'failed',
    reason: fault.reason,
    message: `${describeFault(fault)}${adviceFor(fault.reason)}`,
    needsHuman: needs,
    retryAfterMs: fault.retryAfterMs,
  }
}

/** `rate_limit: Rate limit reached for requests (HTTP 429, rate_limit_exceeded)`. */
export function describeFault({ reason, message, status, code, phase }: ProviderFault): string {
  const known = [
    status === null || status === 200 ? '' : `HTTP ${status}`,
    code ?? '',
    phase === 'stream' ? 'in mid-stream' : '',
  ]
  const details = known.filter((detail) => detail !== '').join(', ')
  return `${reason}: ${message}${details === '' ? '' : ` (${details})`}`
}

/** What somebody can do about it, where somebody can. */
function adviceFor(reason: FaultReason): string {
  const advice: Partial<Record<FaultReason, string>> = {
    unreachable: 'is the base URL right, and does the server run?',
    dns: 'is the base URL right?',
    redirect: 'give the final address as base URL',
    tls: 'mend the certificate, or the base URL',
    auth: 'check the API key',
    permission: 'check what the API key may use',
    region: 'use a provider that serves this country',
    model_not_found: 'check the name of the model and the base URL',
    billing: "look at the account's credit and plan",
    spend_limit: "raise the account's spend limit",
    context_overflow: 'give the task less text, or a model with a larger context',
  }
  const known = advice[reason]
  return known === undefined ? '' : `. Fix: ${known}`
}

/** First words of the last line of the log. */
export function endInWords(kind: Exclude<ChatEnd['kind'], 'completed'>): string {
  switch (kind) {
    case 'wall':
      return 'try later'
    case 'partial':
      return 'not finished'
    case 'failed':
      return 'failed'
    case 'interrupted':
      return 'stopped'
    default:
      return assertNever(kind)
  }
}
