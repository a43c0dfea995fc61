import type { Board } from '../board/index.ts'
import type { YardError } from '../kernel/index.ts'
import type { HubLog } from './hub-log.ts'

/**
 * Somebody removed or replaced the store of a home that is being worked: tells it, saves what the store held, and answers
 * why this hub must leave. Undefined while the store is where it was.
 */
export function noticeLostStore({
  board,
  log,
}: {
  readonly board: Board
  readonly log: Pick<HubLog, 'error'>
}): YardError | undefined {
  const fault = board.findLoss()
  if (fault !== undefined) log.error('store.lost', { ...fault.values, rescued: rescue(board) })
  return fault
}

/** Where it is saved now, or why it is not: the folder may be gone as well. */
function rescue(board: Board): string {
  try {
    return board.rescue()
  } catch (fault) {
    return `not saved: ${String(fault)}`
  }
}
