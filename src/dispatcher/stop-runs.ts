import type { StopKind } from '../board/index.ts'
import { reachesKept } from '../kernel/process/index.ts'
import { byDispatcher } from './deps.ts'
import { killSourceOf } from './kill-source-of.ts'
import type { Loop } from './loop-state.ts'
import type { OpenRun } from './open-runs.ts'
import { cutByTime } from './watch-batches.ts'

/** Ends what must end: attempts past a limit, those that a person wants ended, and those of batches whose time is over. */
export function stopRuns(loop: Loop): void {
  stopOverdue(loop)
  stopWished(loop)
  cutByTime(loop)
  stopOutOfTime(loop)
}

function stopOverdue(loop: Loop): void {
  const { state } = loop
  for (const [run, { kind, text }] of state.overdue) {
    const open = state.open.get(run)
    if (open !== undefined) stopRun(loop, open, { kind, by: byDispatcher.by, text })
    state.overdue.delete(run) // told only once: kept until the reason is committed
  }
}

function stopWished(loop: Loop): void {
  const { board, state } = loop
  if (state.wished.size === 0) return
  for (const open of state.open.values()) {
    const wished = state.wished.get(open.task)
    const wish = wished === undefined ? null : (board.readTask(open.task)?.wish ?? null)
    if (wished !== undefined && wish !== null) stopRun(loop, open, { kind: wish, ...wished })
  }
  state.wished.clear()
}

/** Asked of the board each time, not of the cut just made: a hub may have been killed between cut and stop. */
function stopOutOfTime(loop: Loop): void {
  const over = new Set(loop.board.openBatches().flatMap(({ id, cut }) => (cut === 'time' ? [id] : [])))
  for (const open of over.size === 0 ? [] : loop.state.open.values()) {
    if (open.batch !== null && over.has(open.batch)) {
      stopRun(loop, open, { kind: 'batch_time', by: byDispatcher.by, text: '' })
    }
  }
}

/**
 * Commits why an attempt is ended, then begins to end it. The first reason holds: a second one changes nothing, because the
 * first is already being carried out; it only reaches what the task keeps, where the first spares that (`killPolicy`). One that has
 * no process yet is held back at its start gate. One of another machine is not ours to end: the wish of a person stays on its
 * task, for the hub that works there.
 */
export function stopRun(loop: Loop, open: OpenRun, stop: { kind: StopKind; by: string; text: string }): void {
  if (open.phase === 'exited' || open.elsewhere) return
  if (open.stop === null) {
    if (!loop.board.recordStop(open.id, stop)) return
    open.stop = stop
  } else if (!reachesMore(stop.kind, open.stop.kind)) return
  open.halt.abort()
  if (open.isBetween)
    loop.wake() // it ends before its next stage
  else if (open.phase === 'started') {
    loop.supervisor.end(open.id, { source: killSourceOf(stop.kind), reason: sayStopFor(stop), atOnce: false })
  }
}

const reachesMore = (kind: StopKind, before: StopKind): boolean =>
  reachesKept(killSourceOf(kind)) && !reachesKept(killSourceOf(before))

/** Who and why, for the record of each signal. */
export function sayStopFor({ kind, by, text }: { kind: StopKind; by: string; text: string }): string {
  return `${kind} by ${by}${text === '' ? '' : `: ${text}`}`
}
