import type { Change } from '../../board/index.ts'
import { nameSome } from '../../kernel/index.ts'
import type { JudgedWork } from '../decided-end.ts'
import type { OpenRun } from '../open-runs.ts'
import { lower } from './decide-stage.ts'

const mostNamed = 20

/** What an attempt left, as far as it could be put on record. */
export interface Left {
  /** Undefined outside of worktrees. */
  readonly change: Change | undefined
  /** Why its changes could not be recorded, where there should be some. */
  readonly missing: string | undefined
  /** What it named as its artifacts and did not leave, in words. */
  readonly bad: string | undefined
}

/**
 * What that says of work that was called done, in this order: what cannot be put on record is not done, then artifacts, then
 * `may_change`, then `expect`. The end of the attempt, or undefined where its check is still to speak. Pure.
 */
export function judgeLeft(open: OpenRun, { change, missing, bad }: Left): JudgedWork | undefined {
  const { plan } = open
  if (missing !== undefined) {
    const reason = open.redact(`what it changed could not be put on record: ${missing}`)
    return lower(open, { outcome: 'check_error', reason })
  }
  if (bad !== undefined) return lower(open, { outcome: 'incomplete', reason: `it names what it did not leave: ${bad}` })
  if (change !== undefined && change.outside.length > 0) {
    const reason = `it changed what it may not (may_change): ${nameSome(change.outside, mostNamed)}`
    return lower(open, { outcome: 'check_failed', reason })
  }
  if (plan.expect === 'change' && change?.fileCount === 0) {
    return lower(open, { outcome: 'incomplete', reason: 'nothing was changed (expect: change)' })
  }
  if (plan.check !== null) return undefined
  if (open.judged === null) throw new Error('work that was not judged was to be recorded as done')
  return open.judged
}
