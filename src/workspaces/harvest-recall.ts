import type { TaskId } from '../kernel/index.ts'
import { readMark } from './mark.ts'
import { type Worktree, workspacePath } from './worktree.ts'

/**
 * The worktree that was made for this task, as it stands on record, whether its folder is still there or not: what an attempt
 * has committed is recorded even when it has removed its own folder. Undefined: none was wholly made.
 */
export function recallForHarvest(home: string, task: TaskId): Worktree | undefined {
  const path = workspacePath(home, task)
  const mark = readMark(path)
  if (mark === undefined || mark === 'broken' || mark.kind !== 'worktree' || mark.state !== 'ready') return undefined
  const { repo, gitDir, adminDir, branch, baseRef, baseCommit } = mark
  return adminDir === null ? undefined : { task: mark.task, path, repo, gitDir, adminDir, branch, baseRef, baseCommit }
}
