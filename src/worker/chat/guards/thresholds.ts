/** How often something may happen: then it is said, then the call is not made any more, then the run ends. */
export interface Threshold {
  readonly warnAt: number
  /** From here on the call is refused; the next refusal in a later turn ends the run. Null: it is never refused. */
  readonly blockAt: number | null
  /** From here on the run ends at once. */
  readonly endAt: number | null
}

/** By guard. Numbers of worker-facts c.4. */
export const thresholds = {
  /** The same call, failing. */
  same_call_failing: { warnAt: 2, blockAt: 5, endAt: null },
  /** Any calls of one tool, failing one after the other. */
  same_tool_failing: { warnAt: 3, blockAt: 8, endAt: null },
  /** The same call that only reads, with the same result. */
  no_progress: { warnAt: 2, blockAt: 5, endAt: null },
  /** One to five calls in a row with the same results, again and again. */
  cycle: { warnAt: 3, blockAt: 5, endAt: null },
  /** The same with results that differ, as of a model that waits for something by asking again and again. */
  cycle_of_calls: { warnAt: 6, blockAt: 10, endAt: null },
  /** Commands that are stopped at their limit, one after the other. */
  command_timeouts: { warnAt: 2, blockAt: null, endAt: 3 },
} as const satisfies Readonly<Record<string, Threshold>>

export type GuardName = keyof typeof thresholds | 'chanting'

/** Calls in one cycle at most. */
export const longestCycle = 5

/** How many calls back the guards look. */
export const rememberedCalls = 400

/** A text chants where one stretch of it comes back so often within so short a distance, on average. */
export const chant = { stretchChars: 50, times: 10, averageGapChars: 250 } as const
