import type { Batch, BoardEvent, BoardReader } from '../../board/index.ts'
import type { BatchReportView } from '../contract/index.ts'
import { isoTime, isoTimeOrNull } from './time.ts'

const eventsAtOnce = 2_000

/** What happened around a batch while it worked: accounts that were held, and the hub's own comings and goings. */
export function readYardHistory(
  { board }: { readonly board: BoardReader },
  batch: Batch,
): Pick<BatchReportView, 'accounts_held' | 'yard'> {
  const held: BatchReportView['accounts_held'][number][] = []
  const yard: BatchReportView['yard'][number][] = []
  for (const event of eventsDuring(board, batch)) {
    if (event.kind === 'account.closed') {
      const account = accountOf(event)
      // A gate that closes again while it is closed is one time of being held.
      if (!held.some((span) => span.account === account && span.to === null)) {
        held.push({ account, from: isoTime(event.atMs), to: null, reason: event.text })
      }
    } else if (event.kind === 'account.opened') {
      const at = held.findIndex((span) => span.account === accountOf(event) && span.to === null)
      const span = held[at]
      if (span !== undefined) held[at] = { ...span, to: isoTimeOrNull(event.atMs) }
    } else yard.push({ at: isoTime(event.atMs), text: event.text })
  }
  return { accounts_held: held, yard }
}

const accountOf = (event: BoardEvent): string => String(event.data.account ?? '')

/** What befell the yard between the batch's first event and its end. */
function* eventsDuring(board: BoardReader, batch: Batch): Generator<BoardEvent> {
  const [first] = board.eventsAfter(0, 1, { batch: batch.id })
  if (first === undefined) return
  for (let after = first.seq; ; ) {
    const events = board.yardEventsAfter(after, eventsAtOnce)
    for (const event of events) {
      if (batch.endedAtMs !== null && event.atMs > batch.endedAtMs) return
      yield event
    }
    const last = events.at(-1)
    if (last === undefined) return
    after = last.seq
  }
}
