import type { WorktreeSpec } from '../board/index.ts'
import { fillPlaceholders, formatTaskId, splitNeed } from '../kernel/index.ts'
import type { YardDeps } from './deps.ts'
import type { NeedResult } from './lanes/lane-launch.ts'
import type { WorktreePlan } from './run-plan.ts'

/** What a task of a worktree is given, decided; or, in words for people, why it cannot be. */
export type PlannedWorktree =
  | { readonly ok: true; readonly worktree: WorktreePlan }
  | { readonly ok: false; readonly says: string }

/**
 * Decides how a task's worktree is made, as of this claim. Its ref may name what a task before this one came to
 * (`needs.KEY.branch`, `needs.KEY.commit`).
 */
export function planWorktree(
  deps: Pick<YardDeps, 'board'>,
  {
    workspace,
    dir,
    needs,
  }: { readonly workspace: WorktreeSpec; readonly dir: string; readonly needs: () => readonly NeedResult[] },
): PlannedWorktree {
  const { repo, ref } = workspace
  if (repo === undefined) throw new Error('a worktree without a repository was let through') // see whyImpossible
  const filled = ref === undefined ? { ok: true as const, ref: null } : fillRef(deps, ref, needs)
  if (!filled.ok) return filled
  const { setup = null, copy = [], fresh = false, depth = null } = workspace
  return { ok: true, worktree: { repo, ref: filled.ref, depth, setup, copy, copyFrom: dir, fresh } }
}

function fillRef(
  { board }: Pick<YardDeps, 'board'>,
  ref: string,
  needs: () => readonly NeedResult[],
): { readonly ok: true; readonly ref: string } | { readonly ok: false; readonly says: string } {
  let says: string | undefined
  const filled = fillPlaceholders(ref, ({ scope, name, written }) => {
    const wanted = scope === 'needs' ? splitNeed(name) : undefined
    const need = needs().find(({ key, task }) => key === wanted?.key || formatTaskId(task) === wanted?.key)
    const change = need === undefined ? undefined : board.lastChangeOf(need.task)
    if (wanted?.field === 'branch' && change !== undefined) return change.branch
    if (wanted?.field === 'commit' && change !== undefined) return change.headCommit
    says ??= `workspace.ref: ${written} names no task before this one that has changed something in a worktree`
    return undefined
  })
  return says === undefined ? { ok: true, ref: filled } : { ok: false, says }
}
