import type { BoardEvent, EventKind } from '../board/index.ts'
import { hearCall } from './linger.ts'
import type { Loop } from './loop-state.ts'

/** Commits of others that may make something startable, or a batch over. Our own steps look by themselves. */
const wakingEvents: ReadonlySet<EventKind> = new Set<EventKind>([
  'task.created',
  'board.imported',
  'task.edited',
  'task.ready',
  'task.blocked',
  'task.unblocked',
  'task.retried',
  'task.approved',
  'task.rejected',
  'task.cancelled',
  'task.wished',
  'need.removed',
  'batch.created',
  'batch.resumed',
  'batch.cut',
  'hold.set',
  'hold.lifted',
  'account.closed',
  'account.opened',
])

/** What keeps tasks of any batch, whichever batch it was that met it. */
const keepsEveryBatch: ReadonlySet<EventKind> = new Set<EventKind>(['hold.set', 'account.closed'])

/** Takes down what was committed, and answers whether the dispatcher has to look. */
export function hearBoard(loop: Loop, events: readonly BoardEvent[]): boolean {
  const { board, state } = loop
  for (const { kind, run } of events) {
    const open = kind === 'run.called' && run !== null ? state.open.get(run) : undefined
    if (open !== undefined) hearCall(loop, open)
  }
  const waking = events.filter(({ kind }) => wakingEvents.has(kind))
  for (const { kind, task, batch, by, data } of waking) {
    if (kind === 'task.wished' && task !== null) {
      state.wished.set(task, { by, text: typeof data.text === 'string' ? data.text : '' })
    }
    if (batch !== null) state.touched.add(batch)
  }
  if (waking.some(({ kind }) => keepsEveryBatch.has(kind))) {
    for (const { id } of board.openBatches()) state.touched.add(id)
  }
  return waking.length > 0
}
