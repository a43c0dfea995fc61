import type { BatchCut, BatchVerdict } from './batch.ts'
import type { TaskStatus } from './status.ts'

/** What is left of a batch and what keeps it from starting. */
export interface BatchFacts {
  readonly byStatus: Readonly<Partial<Record<TaskStatus, number>>>
  readonly cut: BatchCut | null
  readonly cutText: string | null
  readonly onWall: 'wait' | 'stop'
  /** Ready tasks, and those that a lane is to review, by what they wait for. `limit`: a provider's limit that ends by itself. `person`: account or lane needs one. */
  readonly ready: { readonly free: number; readonly limit: number; readonly person: number }
  /** Tasks whose review only a person gives. */
  readonly forPersons: number
  /** Waiting tasks may be let go by a task outside the batch that still works. */
  readonly outsideWork: boolean
  /** Waiting tasks need one outside the batch that only a person lets go on, or that ended as they do not want it. */
  readonly outsideStuck: boolean
  /** Only canaries may start, and none of them will by itself. */
  readonly canaryStuck: boolean
}

/**
 * The verdict of a batch of which nothing runs and nothing will start by itself; undefined while it goes on. The exit
 * code is the first that holds (files-and-cli section 3): 9 time, 3 failed, cancelled or halted, 5 a person, 7 only
 * limits left, 0. (2, 130 and 1 are the command line's; 6 comes with budgets.)
 */
export function planVerdict(facts: BatchFacts): BatchVerdict | undefined {
  if (goesOn(facts)) return undefined
  const count = (...statuses: readonly TaskStatus[]): number =>
    statuses.reduce((sum, status) => sum + (facts.byStatus[status] ?? 0), 0)
  const left = count('triage', 'todo', 'ready', 'review', 'blocked')
  const total = left + count('done', 'failed', 'cancelled')
  const says = (exitCode: BatchVerdict['exitCode'], why: string): BatchVerdict => ({
    exitCode,
    text: `${why}${why === '' ? '' : '; '}${sayCounts(facts.byStatus)}`,
  })

  if (facts.cut === 'time' && left > 0) return says(9, `stopped by its time with ${left} of ${total} not finished`)
  if (facts.cut === 'halt' || facts.cut === 'canary' || facts.cut === 'cancelled') {
    return says(3, facts.cutText ?? facts.cut)
  }
  if (count('failed', 'cancelled') > 0) return says(3, '')
  // What waits for others waits for a limit too where one keeps those others; else nothing but a person lets it go.
  const waitsForPerson = facts.ready.person > 0 || facts.outsideStuck || (facts.ready.limit === 0 && count('todo') > 0)
  if (waitsForPerson || facts.forPersons > 0 || count('blocked', 'triage') > 0) return says(5, '')
  if (left > 0) return says(7, facts.cutText ?? 'only limits of accounts are left')
  return says(0, '')
}

function goesOn({ byStatus, cut, onWall, ready, outsideWork, canaryStuck }: BatchFacts): boolean {
  if ((byStatus.running ?? 0) > 0) return true
  if (cut !== null) return false
  if (canaryStuck) return false
  if (ready.free > 0 || outsideWork) return true
  return ready.limit > 0 && onWall === 'wait'
}

const words: readonly (readonly [TaskStatus, string])[] = [
  ['done', 'done'],
  ['failed', 'failed'],
  ['cancelled', 'cancelled'],
  ['blocked', 'need a person'],
  ['triage', 'drafts'],
  ['review', 'in review'],
  ['ready', 'not started'],
  ['todo', 'waiting for others'],
]

function sayCounts(byStatus: BatchFacts['byStatus']): string {
  const parts = words.flatMap(([status, word]) => ((byStatus[status] ?? 0) > 0 ? [`${byStatus[status]} ${word}`] : []))
  return parts.join(' · ')
}
