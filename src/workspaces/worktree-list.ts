import { type GitAnswer, type GitDeps, runGit } from './git.ts'
import { inTurn } from './in-turn.ts'

/**
 * Runs a `git worktree` verb that changes which worktrees a repository has. Git reads all entries while it writes one, and
 * stumbles over those that are half written (see `runGit`); so those of this process follow each other, which takes
 * milliseconds each.
 */
export async function changeWorktrees(
  deps: GitDeps,
  { gitDir, args }: { readonly gitDir: string; readonly args: readonly string[] },
): Promise<GitAnswer> {
  return await inTurn(`worktrees ${gitDir}`, () => runGit(deps, { cwd: gitDir, args: ['worktree', ...args] }))
}
