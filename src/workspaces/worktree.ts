import type { Clock, Random, TaskId } from '../kernel/index.ts'
import type { GitDeps } from './git.ts'
import { identityOf, type Mark, readMark } from './mark.ts'
import { workspacePath } from './workspace-path.ts'

/** What the makers of workspaces work with. */
export interface WorkspaceDeps extends GitDeps {
  /** The yard's own folder, absolute. */
  readonly home: string
  /** Where this program's files lie. */
  readonly program: string
  readonly clock: Clock
  readonly random: Random
}

/** A task's own checkout and branch, as it stands on record beside it. */
export interface Worktree {
  readonly task: TaskId
  /** Real path of its top folder: `<home>/workspaces/T5`. */
  readonly path: string
  /** As the task named it: absolute path or URL. */
  readonly repo: string
  /** Real path of what all worktrees of the repository share. */
  readonly gitDir: string
  /** Git's own folder for this worktree, in `gitDir`. */
  readonly adminDir: string
  /** Without `refs/heads/`. */
  readonly branch: string
  /** What it began from, in words; null where only the commit is known. */
  readonly baseRef: string | null
  readonly baseCommit: string
}

/** The worktree that was made for this task and is still there; undefined where there is none, or not wholly made. */
export function recallWorktree(home: string, task: TaskId): Worktree | undefined {
  const path = workspacePath(home, task)
  const mark = readMark(path)
  return mark === undefined || mark === 'broken' ? undefined : worktreeOf(path, mark)
}

/**
 * The same as it stands on record, whether its folder is still there or not: what an attempt has committed is recorded even when it has
 * removed its own folder. Undefined: none was wholly made.
 */
export function recallForHarvest(home: string, task: TaskId): Worktree | undefined {
  const path = workspacePath(home, task)
  const mark = readMark(path)
  return mark === undefined || mark === 'broken' ? undefined : onRecord(path, mark)
}

/** Undefined where the folder is not the one that the mark is for. */
export function worktreeOf(path: string, mark: Mark): Worktree | undefined {
  const isThere = mark.identity !== null && identityOf(path) === mark.identity
  return isThere ? onRecord(path, mark) : undefined
}

function onRecord(path: string, mark: Mark): Worktree | undefined {
  if (mark.kind !== 'worktree' || mark.state !== 'ready' || mark.adminDir === null) return undefined
  const { task, repo, gitDir, adminDir, branch, baseRef, baseCommit } = mark
  return { task, path, repo, gitDir, adminDir, branch, baseRef, baseCommit }
}
