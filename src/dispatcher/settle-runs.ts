import { removeOutputs } from '../runs/index.ts'
import { commitTogether } from './commit-together.ts'
import { planSettle } from './end-runs.ts'
import { knownEnd } from './known-end.ts'
import type { Loop } from './loop-state.ts'
import type { OpenRun } from './open-runs.ts'
import type { RecordedEnd } from './plan-next.ts'
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
  for (const { open, end } of ended) dropUnmasked(loop, open, end)
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

/** Our own agent masks what it has kept of outputs before it writes its report: without one it was killed before. */
function dropUnmasked({ log }: Loop, { id: run, plan, runDir, hasDirectory }: OpenRun, { report }: RecordedEnd): void {
  if (plan.uses !== 'chat' || report !== null || !hasDirectory) return
  try {
    removeOutputs(runDir)
  } catch (fault) {
    log.error('outputs.not_removed', { run, fault: String(fault) })
  }
}
