import type { EndTally } from '../../board/index.ts'
import type { Random } from '../../kernel/index.ts'
import { type NextInput, type PlannedNext, planNext } from '../plan-next.ts'
import type { RunPlan } from '../run-plan.ts'

/**
 * Plans where a task goes when an attempt to review it is over: its verdict decides, and without one it is reviewed again or, past
 * its own caps and counts, a person's. Nothing of it counts for the author's attempts. Pure.
 */
export function planReviewNext(deps: { readonly random: Random }, input: NextInput): PlannedNext {
  const { end } = input
  const planned = sayOfWhat(planNext(deps, input))
  if (end.outcome !== 'done' || end.verdict == null) return planned
  const { decision, text } = end.verdict
  return { ...planned, move: { to: decision === 'approve' ? 'approved' : 'rejected', text } }
}

/** It is not the work that has failed, and its card says so. */
function sayOfWhat(planned: PlannedNext): PlannedNext {
  const { move } = planned
  return move.to === 'failed' ? { ...planned, move: { ...move, text: `no review came about: ${move.text}` } } : planned
}

/** What counts for an attempt: the ends of authors for authors, of reviewers for reviewers. */
export function tallyOf(tally: EndTally, { reviewOf }: Pick<RunPlan, 'reviewOf'>): EndTally {
  const from = reviewOf === null ? 'ready' : 'review'
  const ends = tally.ends.filter((end) => (end.from ?? 'ready') === from)
  return { ...tally, ends, failures: reviewOf === null ? tally.failures : (tally.reviewFailures ?? 0) }
}
