import type { Clock } from '../kernel/index.ts'

export interface ClockWatch {
  /**
   * Whether the wall clock was set back since the last look. True at the first: what happened to it while no hub was up,
   * nobody knows.
   */
  wasSetBack(): boolean
}

/** Less is the correction of a clock that is slewed, or the time between the two readings. */
const stepMs = 1_000

/** Holds the wall clock against the monotonic one, which never steps. */
export function createClockWatch({ clock }: { readonly clock: Clock }): ClockWatch {
  let aheadMs: number | undefined
  return {
    wasSetBack() {
      const nowAheadMs = clock.nowMs() - clock.monotonicMs()
      const isBack = aheadMs === undefined || nowAheadMs < aheadMs - stepMs
      aheadMs = nowAheadMs
      return isBack
    },
  }
}
