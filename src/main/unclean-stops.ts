import type { HubStart } from '../board/index.ts'

/** Design section 7: so many in so short a time look like a start that brings the machine down again and again. */
export const uncleanStopRule = { stops: 3, withinMs: 15 * 60_000 } as const

/**
 * How often hubs of this home were stopped without a farewell (kill -9, power, a crash) in the last 15 minutes before a
 * start at `nowMs`; `starts` newest first. A kill leaves no time behind: it is counted at the start that found it. 0 where the
 * last hub left in good order: whatever was wrong has gone on long enough for that.
 */
export function countUncleanStops(starts: readonly HubStart[], nowMs: number): number {
  if (starts[0]?.stoppedAtMs !== null) return 0
  const found = starts.filter(({ stoppedAtMs }, index) => {
    const foundAtMs = starts[index - 1]?.startedAtMs ?? nowMs
    // A clock that was set back puts old ones into the future, and those are no news.
    return stoppedAtMs === null && Math.abs(nowMs - foundAtMs) <= uncleanStopRule.withinMs
  })
  return found.length
}
