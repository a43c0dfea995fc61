import type { Batch, StopKind } from '../board/index.ts'
import type { BatchId } from '../kernel/index.ts'
import { byDispatcher } from './deps.ts'
import type { Loop } from './loop-state.ts'
import type { OpenRun } from './open-runs.ts'
import { cutByTime } from './watch-batches.ts'

/** Ends what must end: attempts past a limit, those that a person wants ended, and those of batches whose time is over. */
export function stopRuns(loop: Loop, batches: readonly Batch[]): void {
  stopOverdue(loop)
  stopWished(loop)
  stopOutOfTime(loop, cutByTime(loop, batches))
}

function stopOverdue(loop: Loop): void {
  const { state } = loop
  for (const { run, kind, text } of state.overdue.splice(0)) {
    const open = state.open.get(run)
    if (open !== undefined) stopRun(loop, open, { kind, by: byDispatcher.by, text })
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

function stopOutOfTime(loop: Loop, over: ReadonlySet<BatchId>): void {
  if (over.size === 0) return
  for (const open of loop.state.open.values()) {
    if (open.batch !== null && over.has(open.batch)) {
      stopRun(loop, open, { kind: 'batch_time', by: byDispatcher.by, text: '' })
    }
  }
}

/**
 * Commits why an attempt is ended, then begins to end it. The first reason holds: a second one changes nothing, because the first is
 * already being carried out. One that has no process yet is held back at its start gate.
 */
export function stopRun(loop: Loop, open: OpenRun, stop: { kind: StopKind; by: string; text: string }): void {
  if (open.phase === 'exited' || open.stop !== null) return
  if (!loop.board.recordStop(open.id, stop)) return
  open.stop = stop
  if (open.phase === 'started') {
    loop.supervisor.end(open.id, { source: stop.by, reason: stop.kind, atOnce: false })
  }
}
