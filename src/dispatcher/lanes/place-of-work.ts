import { fenced } from '../../kernel/index.ts'

/** Where an attempt works and by what it is judged, as far as it is to be told. */
export interface PlaceOfWork {
  readonly worktree: {
    readonly branch: string
    /** `main` or null, and the commit. */
    readonly baseRef: string | null
    readonly baseCommit: string
  } | null
  /** The command of its check; null: none. */
  readonly check: string | null
  readonly mayChange: readonly string[] | null
  readonly expect: 'any' | 'change'
}

/** The part of a prompt about that; empty where there is nothing to say. Names and commands are data: fenced. */
export function placePart({ worktree, check, mayChange, expect }: PlaceOfWork): string[] {
  const lines = [
    ...(worktree === null ? [] : [sayWorktree(worktree)]),
    ...(mayChange === null ? [] : [`You may change only what these patterns name:\n\n${fenced(mayChange.join('\n'))}`]),
    ...(expect === 'change' ? ['Something has to be changed; else the task is not done.'] : []),
    ...(check === null
      ? []
      : [`When you have ended, this is run there by us, and only exit code 0 counts:\n\n${fenced(check)}`]),
  ]
  return lines.length === 0 ? [] : ['# Where you work', ...lines]
}

function sayWorktree({ branch, baseRef, baseCommit }: NonNullable<PlaceOfWork['worktree']>): string {
  const from = baseRef === null ? baseCommit.slice(0, 7) : `${baseRef} (${baseCommit.slice(0, 7)})`
  return `You work in a git worktree of your own, on branch ${branch}, begun from ${from}. What is on this branch is your result: commit your work there. What you leave uncommitted is committed for you. Earlier attempts at this task worked on the same branch.`
}
