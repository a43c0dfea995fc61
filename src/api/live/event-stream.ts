import type { Board } from '../../board/index.ts'
import type { BatchId, TaskId } from '../../kernel/index.ts'
import { viewEvent } from '../views/event-view.ts'
import { createBell } from './bell.ts'
import type { SendLine } from './serve-sse.ts'

/** Read at once from the store; more waiting events are the next read. */
const eventsAtOnce = 200

export interface EventsWanted {
  /** The last event that the reader has. */
  readonly after: number
  readonly task?: TaskId
  readonly batch?: BatchId
}

/**
 * Sends every event after `after`, in order and without a gap, until `signal` fires. The store is the queue: a commit
 * only rings, and the events are read from the cursor on, so that a slow reader and one that came back after an hour
 * are the same case.
 */
export async function streamEvents(
  { board }: { readonly board: Board },
  { after, ...filter }: EventsWanted,
  send: SendLine,
  signal: AbortSignal,
): Promise<void> {
  const bell = createBell()
  board.onEvents(signal, () => bell.ring())
  let cursor = after
  while (!signal.aborted) {
    const events = board.eventsAfter(cursor, eventsAtOnce, filter)
    for (const event of events) {
      await send({ id: event.seq, data: viewEvent(event) })
      if (signal.aborted) return
      cursor = event.seq
    }
    if (events.length === 0) await bell.rung(signal)
  }
}
