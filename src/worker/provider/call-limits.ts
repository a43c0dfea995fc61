import type { AskedLimits } from './asked-limits.ts'
import { isLocalHost } from './local-host.ts'
import type { ModelSettings } from './model-call.ts'
import { parseTimeout } from './timeout-value.ts'

/** Limits of one call, each finite. */
export interface CallLimits {
  /** From sending the request to its headers. */
  readonly firstByteMs: number
  /** From the headers to the first event of the model. */
  readonly firstEventMs: number
  /** Between events of the model. Keep-alive comments and empty chunks do not feed it. */
  readonly idleMs: number
  /** From sending the request to its end, whatever arrives. */
  readonly wholeCallMs: number
}

/** Longest a call may take where nothing else is asked for. */
export const usualWholeCallMs = 900_000
const runReserveMs = 30_000

/** By worker-facts a.6: conversations to 50k tokens, above, and above 100k. */
const tiers = [
  { overTokens: 100_000, firstEventMs: 240_000, idleMs: 300_000 },
  { overTokens: 50_000, firstEventMs: 150_000, idleMs: 240_000 },
  { overTokens: -1, firstEventMs: 90_000, idleMs: 180_000 },
] as const
const usualFirstByteMs = 120_000
/** A machine of one's own reads a long prompt for minutes before it says a word; many send no headers before. */
const patienceWithLocal = 5

/**
 * The limits of a call. What was asked for holds as it is; the rest grows with the conversation, with how long the model
 * is told to think (it may do that without a word) and for servers on this machine or its own network. Throws a `RangeError`
 * for a limit that `parseTimeout` refuses.
 */
export function planLimits(
  asked: AskedLimits,
  about: {
    readonly contextTokens: number
    readonly baseUrl: string
    readonly reasoning: ModelSettings['reasoning']
    /** Null: the run has no end that is known. */
    readonly runLeftMs: number | null
  },
): CallLimits {
  const tokens = about.reasoning === 'high' ? Number.POSITIVE_INFINITY : about.contextTokens
  const tier = tiers.find(({ overTokens }) => tokens > overTokens) ?? tiers[2]
  const times = isLocalHost(new URL(about.baseUrl).hostname) ? patienceWithLocal : 1
  return checked({
    firstByteMs: asked.firstByteMs ?? usualFirstByteMs * times,
    firstEventMs: asked.firstEventMs ?? tier.firstEventMs * times,
    idleMs: asked.idleMs ?? tier.idleMs * times,
    wholeCallMs: wholeCallMs(asked.wholeCallMs ?? null, about.runLeftMs),
  })
}

/** Whoever took the numbers from outside has told of them there; one that comes this far is a fault of ours. */
function checked(limits: CallLimits): CallLimits {
  for (const [name, ms] of Object.entries(limits)) {
    const parsed = parseTimeout(ms)
    if (!parsed.ok) throw new RangeError(`${name}: ${parsed.why}`)
  }
  return limits
}

/** How long one call may take in a run that has `runLeftMs` left (null: no end is known). */
export function wholeCallMs(askedMs: number | null, runLeftMs: number | null): number {
  const mostMs = askedMs ?? usualWholeCallMs
  return runLeftMs === null ? mostMs : Math.max(1, Math.min(mostMs, callTimeMs(runLeftMs)))
}

/**
 * What of a run's rest may go into calls and waits: all but 30 s for its last words, of a short rest all but a quarter.
 * So the last words themselves, asked for when only the 30 s are left, still get most of them.
 */
export function callTimeMs(runLeftMs: number): number {
  return Math.max(runLeftMs - runReserveMs, runLeftMs * 0.75)
}
