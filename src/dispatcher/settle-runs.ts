import { commitTogether } from './commit-together.ts'
import { planSettle } from './end-runs.ts'
import { knownEnd } from './known-end.ts'
import type { Loop } from './loop-state.ts'
import { carryOn } from './stages/carry-on.ts'

/** Moves the tasks whose attempt has exited, whose tree is gone, and of which nothing is left to be done. */
export function settleRuns(loop: Loop): void {
  const { board, state } = loop
  carryOn(loop)
  const ended = [...state.swept].flatMap((run) => {
    const open = state.open.get(run)
    if (open === undefined || open.due !== 'nothing' || open.isBusy || state.clearing.has(run)) return []
    const end = knownEnd(loop, open)
    return end === null ? [] : [{ open, end }]
  })
  if (ended.length === 0) return
  const fault = commitTogether(ended, (some) => {
    board.recordSettled(some.map(({ open, end }) => planSettle(loop, open, end)))
    for (const { open } of some) {
      state.swept.delete(open.id)
      state.open.delete(open.id)
      if (open.batch !== null) state.touched.add(open.batch)
    }
  })
  if (fault !== undefined) throw fault
}
