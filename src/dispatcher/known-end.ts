import { recallEnd } from './end-runs.ts'
import type { Loop } from './loop-state.ts'
import type { OpenRun } from './open-runs.ts'
import type { RecordedEnd } from './plan-next.ts'

/**
 * How an attempt ended, where that is decided. One that exited under an earlier hub is recalled at the first question after
 * its secrets are known; what it left cannot be read while the machine is short of something, and is asked for again then.
 */
export function knownEnd({ board, state, log }: Loop, open: OpenRun): RecordedEnd | null {
  if (open.end !== null || open.phase !== 'exited' || state.unmasked.has(open.id)) return open.end
  const run = board.readRun(open.id)
  if (run === undefined) return null
  try {
    open.end = recallEnd(open, run)
  } catch (fault) {
    log.error('run.not_recalled', { run: open.id, fault: String(fault) })
  }
  return open.end
}
