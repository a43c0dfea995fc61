import { describeDuration } from '../kernel/index.ts'
import { byDispatcher } from './deps.ts'
import type { Loop } from './loop-state.ts'
import type { OpenRun } from './open-runs.ts'
import { stopRun } from './stop-runs.ts'

/** How long a process may still be there after it said how it ends (design section 4, rule 2). */
export const builtInLingerMs = 30_000
/** A store that could not be written is asked again after this. */
const againMs = 1_000

/**
 * Takes down what a run said of its own end, and ends it when it is still there some time later: its task is settled only
 * when its tree is gone. That stop decides nothing; the call has decided.
 */
export function hearCall(loop: Loop, open: OpenRun): void {
  open.call = loop.board.readRun(open.id)?.call ?? null
  watchLinger(loop, open)
}

/** From here on again for one that was adopted: the time since its call counts, whatever hub was there. */
export function watchLinger(loop: Loop, open: OpenRun): void {
  if (open.call === null || !isAtWork(open)) return
  const sinceMs = loop.clock.nowMs() - open.call.atMs
  // A wall clock that was set meanwhile neither ends it early nor keeps it longer.
  const leftMs = Math.min(loop.lingerMs, Math.max(0, loop.lingerMs - Math.max(0, sinceMs)))
  endAfter(loop, open, leftMs)
}

/** What lingers is the process that has called: a check that follows it takes as long as it may. */
const isAtWork = ({ phase, stage, isBetween }: OpenRun): boolean => phase !== 'exited' && stage === 'work' && !isBetween

function endAfter(loop: Loop, open: OpenRun, afterMs: number): void {
  loop.clock.after(afterMs, open.over.signal, () => {
    if (!isAtWork(open)) return
    try {
      const text = `still there ${describeDuration(loop.lingerMs)} after it had said how it ends`
      stopRun(loop, open, { kind: 'linger', by: byDispatcher.by, text })
    } catch (fault) {
      loop.log.error('run.not_stopped', { run: open.id, fault: String(fault) })
      endAfter(loop, open, againMs)
    }
  })
}
