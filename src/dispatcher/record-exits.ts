import { applyEvidence } from './apply-gates.ts'
import { decideEnd } from './end-runs.ts'
import type { Loop } from './loop-state.ts'

/** Puts the outcome of every attempt whose death was seen on record: the slot is free, its tree may still be there. */
export function recordExits(loop: Loop): void {
  const { board, state } = loop
  const heard = [...state.exits]
  if (heard.length === 0) return
  const decided = heard.flatMap((facts) => {
    const open = state.open.get(facts.run)
    return open === undefined || open.phase === 'exited' ? [] : [decideEnd(loop, open, facts)]
  })
  const recorded = board.recordExited(decided.map(({ exited }) => exited))
  state.exits.splice(0, heard.length) // only now: a commit that failed is tried again with the next wake
  const known = decided.filter(({ open }) => recorded.has(open.id))
  for (const { open } of decided) {
    open.over.abort()
    if (!recorded.has(open.id)) state.open.delete(open.id) // decided before, by somebody else
  }
  for (const { open, end } of known) {
    open.phase = 'exited'
    open.end = end
  }
  // Last, because each is a commit of its own: one that fails must not keep the ends from being settled.
  for (const one of known) applyEvidence(loop, one)
}
