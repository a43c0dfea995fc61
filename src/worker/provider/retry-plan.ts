import type { Random } from '../../kernel/index.ts'
import { callTimeMs } from './call-limits.ts'
import type { ProviderFault } from './faults/fault.ts'

/** How patient a worker is inside its own process. A worker that sleeps holds a slot, so it is not very patient. */
export interface RetryPolicy {
  /** Repeats of one call after a wall; dropped streams get one more, protocol faults, conflicts and stalls at most one. */
  readonly retries: number
  readonly longestWaitMs: number
  /** All waits of the whole worker together. */
  readonly allWaitsMs: number
}

export interface RetryState {
  /** Failed attempts of this call so far, the one just judged included. */
  readonly attempts: number
  /** Waited so far, all calls together. */
  readonly waitedMs: number
  /** What the run has left; null or absent: no end is known. */
  readonly runLeftMs?: number | null
}

export type RetryPlan =
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'give_up'; readonly because: string }

const firstWaitMs = 1_000

/**
 * Whether the same call is made again in this process. A hint of the provider is honoured as it is, or not at all: one
 * beyond the limits ends the worker with the time in its report. Without a hint the wait doubles, with full jitter.
 */
export function planRetry(
  { random }: { readonly random: Random },
  input: { readonly fault: ProviderFault; readonly policy: RetryPolicy; readonly state: RetryState },
): RetryPlan {
  const { fault, policy, state } = input
  if (fault.class !== 'transient' && !isUnluckyCall(fault))
    return { kind: 'give_up', because: 'a repeat would end the same' }
  const allowed = repeatsOf(fault, policy.retries)
  if (state.attempts > allowed) return { kind: 'give_up', because: `after ${state.attempts} attempts` }
  const ms = fault.retryAfterMs ?? Math.round(firstWaitMs * 2 ** (state.attempts - 1) * random.fraction())
  if (fault.retryAfterMs !== null && ms > policy.longestWaitMs) {
    return { kind: 'give_up', because: 'the provider asks for a longer wait than a worker may hold its slot' }
  }
  const cappedMs = Math.min(ms, policy.longestWaitMs)
  if (state.waitedMs + cappedMs > policy.allWaitsMs) {
    return { kind: 'give_up', because: 'the time for waiting is used up' }
  }
  // A wait is time of the run: a repeat that could not end in it is not begun.
  const leftMs = state.runLeftMs ?? Number.POSITIVE_INFINITY
  if (cappedMs >= callTimeMs(leftMs)) return { kind: 'give_up', because: 'the run has no time left for a repeat' }
  return { kind: 'wait', ms: cappedMs }
}

/** The model wrote a call that the server could not read (Groq): it may do better, once. */
const isUnluckyCall = ({ code }: ProviderFault): boolean => code === 'tool_use_failed'

/** Worker-facts b.8. */
function repeatsOf({ reason, status, code }: ProviderFault, retries: number): number {
  if (code === 'tool_use_failed') return Math.min(retries, 1)
  if (code === 'model_capacity_exhausted') return 0 // Google: not for minutes
  if (reason === 'dropped_stream') return retries === 0 ? 0 : retries + 1
  // A watchdog of ours has waited for minutes already; a gateway that says 504 answers at once.
  const isStall = reason === 'timeout' && (status === null || status < 400)
  if (reason === 'protocol' || isStall || status === 409) return Math.min(retries, 1)
  return retries
}
