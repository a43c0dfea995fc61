import { isSettled, type TaskStatus } from '../../board/index.ts'
import type { KeepConfig } from '../../kernel/config/index.ts'
import { sayMoment, statusWords } from '../../kernel/index.ts'
import type { CodeFacts } from '../../workspaces/index.ts'

/** All that decides whether the workspace of a task may go. */
export interface CleanFacts {
  readonly kind: 'scratch' | 'worktree' | 'foreign' | 'gone'
  /** Undefined: the board knows no such task. */
  readonly task:
    | { readonly status: TaskStatus; readonly isRunning: boolean; readonly settledAtMs: number | null }
    | undefined
  /** Undefined: not looked at, or no code. */
  readonly code: CodeFacts | undefined
  /** The commit that its last attempt came to, on record together with its patch; null: none is. */
  readonly recorded: string | null
  /** time: it goes when `keep` is over. person: it was named, and goes now. */
  readonly asked: 'time' | 'person'
}

export type CleanPlan =
  /** save: it holds something that is on no record, which is stored as a patch first. */
  | { readonly go: 'remove' | 'save and remove'; readonly says: string }
  | { readonly go: 'stay'; readonly because: StayCode; readonly says: string }

export type StayCode = 'not_ours' | 'no_task' | 'running' | 'open' | 'young' | 'changed' | 'unrecorded' | 'unreadable'

/**
 * Whether a workspace goes, and why, in words for people. By itself only what is over for long enough, and whose work is safe
 * elsewhere: nothing that somebody changed after the attempt. Who names a task says that it goes now; its work is stored first.
 */
export function planClean(
  facts: CleanFacts,
  { keep, nowMs }: { readonly keep: KeepConfig; readonly nowMs: number },
): CleanPlan {
  return (
    whyItStays(facts, keep, nowMs) ?? (facts.kind === 'worktree' ? planWorktree(facts) : remove(sayPlain[facts.kind]))
  )
}

/** What can be told without looking at the code. */
export function whyItStays({ kind, task, asked }: CleanFacts, keep: KeepConfig, nowMs: number): CleanPlan | undefined {
  if (kind === 'foreign') return stay('not_ours', 'not a folder that we have made there')
  if (task === undefined) return stay('no_task', 'no task of this board')
  if (task.isRunning) return stay('running', 'its task is running')
  if (asked === 'person') return undefined
  if (!isSettled(task.status) || task.settledAtMs === null)
    return stay('open', `its task is not over (${statusWords[task.status]})`)
  const keptMs = task.status === 'done' ? keep.doneMs : keep.failedMs
  if (keptMs === 'forever') return stay('young', 'kept for ever (keep)')
  const untilMs = task.settledAtMs + keptMs
  return untilMs > nowMs ? stay('young', `kept until ${sayMoment(untilMs)} (keep)`) : undefined
}

function planWorktree({ code, recorded, asked }: CleanFacts): CleanPlan {
  if (code === undefined) return stay('unreadable', 'it could not be looked at')
  if (!code.ok) return stay('unreadable', code.says)
  const isRecorded = recorded !== null && code.head === recorded
  if (asked === 'person')
    return code.isChanged || !(isRecorded || code.own !== 'only here') ? save() : remove(saySafe(code.own))
  if (code.isChanged) return stay('changed', 'changed since its attempt ended')
  if (isRecorded || code.own !== 'only here') return remove(saySafe(code.own))
  return recorded === null
    ? stay('unrecorded', 'its last changes are not recorded')
    : stay('changed', 'commits were added since its attempt ended')
}

const sayPlain = { scratch: 'a scratch folder', gone: 'its folder is gone already', foreign: '' } as const

function saySafe(own: 'none' | 'landed' | 'only here'): string {
  if (own === 'none') return 'nothing of its own in it'
  return own === 'landed' ? 'merged, or pushed' : 'its patch is stored'
}

const save = (): CleanPlan => ({ go: 'save and remove', says: 'its work is stored as a patch first' })
const remove = (says: string): CleanPlan => ({ go: 'remove', says })
const stay = (because: StayCode, says: string): CleanPlan => ({ go: 'stay', because, says })
