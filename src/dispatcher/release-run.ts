import type { Actor, Settled } from '../board/index.ts'
import { formatRunId, type RunId } from '../kernel/index.ts'
import { endBeforeWork } from './end-before-work.ts'
import { decideEnd, planSettle } from './end-runs.ts'
import { knownEnd } from './known-end.ts'
import type { Loop } from './loop-state.ts'
import type { OpenRun } from './open-runs.ts'
import { lower } from './stages/decide-stage.ts'
import { recordEnd } from './stages/end-between.ts'
import { nothingSeen } from './supervisor/index.ts'

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
  if (open === undefined) return isOpen(loop, run) ? 'ending' : 'over'
  const standing = supervisor.standing(run)
  if (standing === 'alive') return 'alive'
  const hasEnded = standing === 'ended' || standing === 'ended_apart'
  if (open.isBusy) return 'ending'
  if (!open.held || (hasEnded && open.phase !== 'exited' && !open.isBetween)) return 'ending'
  if (open.isBetween) endUnchecked(loop, open)
  const settled = planRelease(loop, open, actor)
  if (settled === undefined) return 'ending'
  if (board.releaseRun(settled, actor) === undefined) return 'over'
  supervisor.letGo(run)
  forget(loop, open)
  return 'released'
}

/** On the board and not here: it is not taken over yet. */
function isOpen({ board }: Loop, run: RunId): boolean {
  const row = board.readRun(run)
  return row !== undefined && row.phase !== 'settled'
}

/** What it left can be neither recorded nor checked while some of it may be alive: so it is not done. */
function endUnchecked(loop: Loop, open: OpenRun): void {
  if (loop.state.unmasked.has(open.id)) return // asked again when what it said can be masked
  const reason = 'processes of it may be alive, so what it came to was not looked at'
  const ended = { outcome: open.judged === null ? 'interrupted' : 'check_error', reason } as const
  recordEnd(loop, open, open.judged === null ? endBeforeWork(open, ended) : lower(open, ended))
}

/** With an outcome it goes where that end says, else back at once. Undefined while that end is not known here yet. */
function planRelease(loop: Loop, open: OpenRun, { by }: Actor): Settled | undefined {
  if (open.phase !== 'exited' && open.call !== null) decideByCall(loop, open)
  if (open.phase === 'exited') {
    const end = knownEnd(loop, open)
    return end === null ? undefined : planSettle(loop, open, end)
  }
  if (open.call !== null) return undefined
  const text = `${by} let it go although ${formatRunId(open.id)} may be alive`
  const move = { to: 'back', notBeforeMs: null, code: 'released', text } as const
  return { run: open.id, fence: open.fence, move, failures: 0, countsToCap: false }
}

/**
 * What it said of its own end decides that end, whatever is seen of it (design section 4, rule 2): what is done is not done
 * again. On record before its task goes, so that a hub that is killed in between leaves an end and no second decision.
 */
function decideByCall({ board, state, log }: Loop, open: OpenRun): void {
  if (state.unmasked.has(open.id)) return // what it left cannot be masked yet
  const delivered = board.readRun(open.id)?.stopDelivered === true
  const { exited, end } = decideEnd({ log }, open, {
    run: open.id,
    fence: open.fence,
    record: null,
    delivered,
    ...nothingSeen,
  })
  if (!board.recordExited([exited]).has(open.id)) return
  open.phase = 'exited'
  open.end = end
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
