import type { Clock } from '../../kernel/index.ts'

/** Notices that the wall clock was set: times that files got before and after cannot be held against each other. */
export interface StepWatch {
  /** Asked at every beat: a step is noticed at the first look after it. */
  look(): void
  /** Monotonic time of the look that noticed the last step; -Infinity where there was none. */
  steppedMs(): number
}

/** Less is the correction of a clock that is slewed, or the time between the two readings. */
const leastStepMs = 1_000

/** Holds the wall clock against the monotonic one, which never steps. */
export function createStepWatch({ clock }: { readonly clock: Clock }): StepWatch {
  const readAheadMs = () => clock.nowMs() - clock.monotonicMs()
  let aheadMs = readAheadMs()
  let steppedMs = Number.NEGATIVE_INFINITY
  return {
    look() {
      const nowAheadMs = readAheadMs()
      if (Math.abs(nowAheadMs - aheadMs) >= leastStepMs) steppedMs = clock.monotonicMs()
      aheadMs = nowAheadMs
    },
    steppedMs: () => steppedMs,
  }
}
