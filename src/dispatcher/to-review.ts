import type { JudgedWork } from './decided-end.ts'
import type { OpenRun } from './open-runs.ts'

/** Done, where the task wants a look at it first: its outcome is a review then (design section 3). */
export function toReview<Judged extends JudgedWork>({ plan }: Pick<OpenRun, 'plan'>, judged: Judged): Judged {
  if (judged.exited.outcome !== 'done' || plan.review === 'none' || plan.reviewOf !== null) return judged
  const who = plan.review === 'person' ? 'a person' : `lane ${plan.review.lane}`
  const reason = `${judged.exited.reason}. It is to be reviewed by ${who}`
  return {
    ...judged,
    exited: { ...judged.exited, outcome: 'review', reason },
    end: { ...judged.end, outcome: 'review', reason },
  }
}
