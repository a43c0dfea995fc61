import type { RunId } from '../kernel/index.ts'
import { applyEvidence } from './apply-gates.ts'
import { commitTogether } from './commit-together.ts'
import { type Decision, decideExit } from './decide-exit.ts'
import type { DecidedEnd } from './end-runs.ts'
import type { Loop } from './loop-state.ts'
import type { OpenRun } from './open-runs.ts'
import { noteStageOver, toStageOver } from './stages/stage-over.ts'
import type { ExitFacts } from './supervisor/index.ts'

/**
 * Puts what became of every process whose death was seen on record. With most the attempt has ended: the slot is free, its tree may
 * still be there. Others go on with their next stage when that tree is gone. Answers whether any attempt has ended.
 */
export function recordExits(loop: Loop): boolean {
  const { board, state } = loop
  const kept = new Set<RunId>()
  const decided = state.exits.flatMap((facts) => {
    const open = state.open.get(facts.run)
    if (open === undefined || open.phase === 'exited' || open.isBetween) return []
    kept.add(open.id)
    if (state.unmasked.has(open.id)) return []
    return decide(loop, open, facts)
  })
  let hasRecorded = false
  const ends = decided.flatMap((one) => (one.kind === 'end' ? [one] : []))
  const overs = decided.flatMap((one) => (one.kind === 'over' ? [one] : []))
  const faultOfEnds = commitTogether(ends, (some) => {
    const recorded = board.recordExited(some.map(({ decided: { exited } }) => exited))
    hasRecorded ||= recorded.size > 0
    for (const { decided: one, due } of some) {
      kept.delete(one.open.id)
      note(loop, one, { recorded, due })
    }
  })
  const faultOfOvers = commitTogether(overs, (some) => {
    const recorded = board.recordStageOver(some.map(toStageOver))
    for (const over of some) {
      kept.delete(over.open.id)
      noteStageOver(loop, over, recorded)
    }
  })
  // A commit that failed is tried again with the next wake.
  state.exits.splice(0, state.exits.length, ...state.exits.filter(({ run }) => kept.has(run)))
  tellGates(loop)
  const fault = faultOfEnds ?? faultOfOvers
  if (fault !== undefined) throw fault
  return hasRecorded
}

/** What one attempt left must not keep all others from ending. */
function decide(loop: Loop, open: OpenRun, facts: ExitFacts): readonly Decision[] {
  try {
    return [decideExit(loop, open, facts)]
  } catch (fault) {
    loop.log.error('run.not_decided', { run: open.id, fault: fault instanceof Error ? fault.stack : String(fault) })
    return []
  }
}

function note(
  { state }: Loop,
  one: DecidedEnd,
  { recorded, due }: { readonly recorded: ReadonlySet<RunId>; readonly due: OpenRun['due'] },
): void {
  const { open, end } = one
  open.over.abort()
  if (!recorded.has(open.id)) {
    state.open.delete(open.id) // decided before, by somebody else
    return
  }
  // What an account served was told when the work was over.
  if (open.stage === 'work') state.untold.push(one)
  open.phase = 'exited'
  open.end = end
  open.due = due
}

/** Each in a commit of its own; one that fails stays for the next wake, with those after it. */
function tellGates(loop: Loop): void {
  const { untold } = loop.state
  for (let one = untold[0]; one !== undefined; one = untold[0]) {
    applyEvidence(loop, one)
    untold.shift()
  }
}
