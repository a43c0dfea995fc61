import type { RunId } from '../kernel/index.ts'
import { applyEvidence } from './apply-gates.ts'
import { commitTogether } from './commit-together.ts'
import { type DecidedEnd, decideEnd } from './end-runs.ts'
import type { Loop } from './loop-state.ts'
import type { OpenRun } from './open-runs.ts'
import type { ExitFacts } from './supervisor/index.ts'

/**
 * Puts the outcome of every attempt whose death was seen on record: the slot is free, its tree may still be there. Answers
 * whether there was any.
 */
export function recordExits(loop: Loop): boolean {
  const { board, state } = loop
  const kept = new Set<RunId>()
  const decided = state.exits.flatMap((facts) => {
    const open = state.open.get(facts.run)
    if (open === undefined || open.phase === 'exited') return []
    kept.add(open.id)
    if (state.unmasked.has(open.id)) return []
    return decide(loop, open, facts)
  })
  let hasRecorded = false
  const fault = commitTogether(decided, (some) => {
    const recorded = board.recordExited(some.map(({ exited }) => exited))
    hasRecorded ||= recorded.size > 0
    for (const one of some) {
      kept.delete(one.open.id)
      note(loop, one, recorded)
    }
  })
  // A commit that failed is tried again with the next wake.
  state.exits.splice(0, state.exits.length, ...state.exits.filter(({ run }) => kept.has(run)))
  tellGates(loop)
  if (fault !== undefined) throw fault
  return hasRecorded
}

/** What one attempt left must not keep all others from ending. */
function decide(loop: Loop, open: OpenRun, facts: ExitFacts): readonly DecidedEnd[] {
  try {
    return [decideEnd(loop, open, facts)]
  } catch (fault) {
    loop.log.error('run.not_decided', { run: open.id, fault: fault instanceof Error ? fault.stack : String(fault) })
    return []
  }
}

function note({ state }: Loop, one: DecidedEnd, recorded: ReadonlySet<RunId>): void {
  const { open, end } = one
  open.over.abort()
  if (!recorded.has(open.id)) {
    state.open.delete(open.id) // decided before, by somebody else
    return
  }
  open.phase = 'exited'
  open.end = end
  state.untold.push(one)
}

/** Each in a commit of its own; one that fails stays for the next wake, with those after it. */
function tellGates(loop: Loop): void {
  const { untold } = loop.state
  for (let one = untold[0]; one !== undefined; one = untold[0]) {
    applyEvidence(loop, one)
    untold.shift()
  }
}
