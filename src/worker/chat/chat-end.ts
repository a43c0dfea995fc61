import { assertNever } from '../../kernel/index.ts'
import { type FaultReason, needsHuman, type ProviderFault } from '../provider/faults/fault.ts'
import type { CallUsage } from '../provider/reply.ts'
import type { Counters } from '../record/counters.ts'

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
  /** The work is done and the board could not be told for as long as it was tried: the report says it instead. */
  readonly delivery?: 'board_unreachable'
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
  /** What all calls together cost; null: of at least one it is not known, which is not 0. */
  costUsd: number | null
  /** The last fault of a provider, also one that a repeat got over. */
  fault: ProviderFault | null
  readonly counters: Counters
  /** Who gave the last answer; null: nobody yet. */
  model: string | null
  /** Of `complete`, or the answer that fits its schema; undefined: none. */
  data: unknown
  /** How often the conversation was made smaller. */
  compactions: number
  /** Commands that still ran at the end and were ended, as they were typed. */
  left: readonly string[]
  /** Real paths of files that it hands back. */
  readonly handedBack: string[]
}

export const noProgress = (): ChatProgress => ({
  text: '',
  usage: null,
  calls: 0,
  turns: 0,
  costUsd: 0,
  fault: null,
  counters: {},
  model: null,
  data: undefined,
  compactions: 0,
  left: [],
  handedBack: [],
})

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

/** The run is somebody else's by now: nothing is written any more in its name, not even a report. */
export const lostClaim = (says: string): ChatEnd => failed('lost_claim', `the board has given this run up: ${says}`)

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
    phase === 'stream' || phase === 'after-output' ? 'in mid-stream' : '',
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
    policy_route: "change the account's data policy, or use another model",
    unsupported_param: "change the lane's settings of the model",
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
