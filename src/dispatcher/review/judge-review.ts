import type { JudgedEnd } from '../judge-end.ts'
import type { Verdict } from './read-verdict.ts'

/** An attempt that reviewed is done only with a verdict, and a verdict counts only where the attempt is done (design section 4). */
export function judgeReview(judged: JudgedEnd, verdict: Verdict | null): JudgedEnd {
  if (judged.outcome !== 'done') return judged
  if (verdict === null) return { ...judged, outcome: 'incomplete', reason: `${judged.reason}, but it gave no verdict` }
  const says = verdict.decision === 'approve' ? 'it approves the work' : 'it wants changes'
  return { ...judged, reason: `${judged.reason}: ${says}` }
}
