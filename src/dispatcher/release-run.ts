import type { Actor, Settled } from '../board/index.ts'
import { formatRunId, type RunId } from '../kernel/index.ts'
import { planSettle } from './end-runs.ts'
import type { Loop } from './loop-state.ts'
import type { OpenRun } from './open-runs.ts'

/**
 * released: its task goes on, and nothing watches the attempt any more. alive: it is ours beyond doubt, and stopping it is
 * the way. ending: it is being started or ended right now. over: it is settled.
 */
export type Release = 'released' | 'alive' | 'ending' | 'over'

/**
 * Lets the task of a held attempt go, because a person says so: one that cannot be told to be dead or alive, one of another
 * machine, or one that has ended and left processes that cannot be ended. No signal is sent.
 */
export function releaseRun(loop: Loop, run: RunId, actor: Actor): Release {
  const { board, supervisor, state } = loop
  const open = state.open.get(run)
  if (open === undefined) return 'over'
  const standing = supervisor.standing(run)
  if (standing === 'alive') return 'alive'
  if (!open.held || (standing === 'ended' && open.phase !== 'exited')) return 'ending'
  const settled = planRelease(loop, open, actor)
  if (settled === undefined) return 'ending'
  if (board.releaseRun(settled, actor) === undefined) return 'over'
  supervisor.letGo(run)
  forget(loop, open)
  return 'released'
}

/** Without an outcome it goes back at once; with one, where that end says. Undefined while that end is not known here yet. */
function planRelease(loop: Loop, open: OpenRun, { by }: Actor): Settled | undefined {
  if (open.phase === 'exited') return open.end === null ? undefined : planSettle(loop, open, open.end)
  const text = `${by} let it go although ${formatRunId(open.id)} may be alive`
  const move = { to: 'back', notBeforeMs: null, code: 'released', text } as const
  return { run: open.id, fence: open.fence, move, failures: 0, countsToCap: false }
}

function forget({ state }: Loop, open: OpenRun): void {
  state.open.delete(open.id)
  state.unmasked.delete(open.id)
  state.swept.delete(open.id)
  state.overdue.delete(open.id)
  state.unstarted.delete(open)
  open.over.abort()
  if (open.batch !== null) state.touched.add(open.batch)
}
