import { byDispatcher } from './deps.ts'
import type { Loop } from './loop-state.ts'
import type { OpenRun } from './open-runs.ts'
import { sayStopFor, stopRun } from './stop-runs.ts'

/** Until a stop whose reason could not be put on record is tried again. */
const againMs = 1_000

/**
 * Asks all that is open to end. Nobody is signalled before the reason is on record, so where that cannot be written now (a full
 * disk) it is tried until it can be, or until nobody waits for that; where the store itself was taken away, whoever has it
 * decides: `not all`. `step` tells a fault and answers false for it.
 */
export async function endAll(
  loop: Loop,
  { step, mayWait }: { readonly step: (act: () => void) => boolean; readonly mayWait: () => boolean },
): Promise<'all' | 'not all'> {
  const { state, board, clock } = loop
  const stop = { kind: 'shutdown', by: byDispatcher.by, text: '' } as const
  const isAsked = (open: OpenRun) => step(() => stopRun(loop, open, stop))
  for (let left = [...state.open.values()]; ; ) {
    left = left.filter((open) => !isAsked(open))
    if (left.length === 0) return 'all'
    if (board.findLoss() !== undefined || !mayWait()) return 'not all'
    await clock.sleep(againMs)
  }
}

/** The same at once, without any grace: a second Ctrl-C. */
export function hurryAll(loop: Loop, step: (act: () => void) => boolean): void {
  const stop = { kind: 'shutdown', by: byDispatcher.by, text: 'at once' } as const
  const end = (open: OpenRun) => {
    stopRun(loop, open, stop)
    if (open.phase !== 'claimed') {
      loop.supervisor.end(open.id, { source: 'shutdown', reason: sayStopFor(stop), atOnce: true })
    }
  }
  for (const open of loop.state.open.values()) step(() => end(open))
}
