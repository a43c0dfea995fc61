import type { JudgedWork } from '../decided-end.ts'
import type { Loop } from '../loop-state.ts'
import type { OpenRun } from '../open-runs.ts'
import { toReview } from '../to-review.ts'

/** An attempt ends while none of its processes is there: its outcome is put on record, and its task may move. */
export function recordEnd({ board, state }: Loop, open: OpenRun, judged: JudgedWork): void {
  const { exited, end } = toReview(open, judged)
  const recorded = board.recordExited([exited])
  open.over.abort()
  if (!recorded.has(open.id)) {
    state.open.delete(open.id) // decided before, by somebody else
    state.swept.delete(open.id)
    return
  }
  open.phase = 'exited'
  open.isBetween = false
  open.end = end
  open.due = 'nothing'
  state.swept.add(open.id)
}
