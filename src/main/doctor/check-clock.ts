import type { HealthView } from '../../api/contract/index.ts'
import { systemClock } from '../../kernel/index.ts'
import { type Check, ok, warn } from './check.ts'

/** This program did not exist before; a clock that says so was never set. */
const earliestMs = Date.UTC(2026, 0, 1)
/** Two clocks of one machine may be read a little apart. */
const toleranceMs = 60_000

/** Times of a yard come from the wall clock; one that was set back makes what happened look as if it were still to come. */
export function checkClock(health: Pick<HealthView, 'last_hub_at'> | undefined): readonly Check[] {
  const nowMs = systemClock.nowMs()
  const fix = 'set it (timedatectl set-ntp true); times of tasks and limits of accounts depend on it'
  const now = new Date(nowMs).toISOString()
  if (nowMs < earliestMs) return [warn('clock', `it says ${now}, which is before this program was written`, fix)]
  const last = health?.last_hub_at ?? null
  if (last !== null && Date.parse(last) > nowMs + toleranceMs) {
    return [warn('clock', `it says ${now}, and the yard did something at ${last}: it was set back`, fix)]
  }
  return [ok('clock', `it says ${now}`)]
}
