import { lstatSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { makeFolder, realPath } from '../kernel/index.ts'
import { explainGit, faultOf, type WorkspaceFault } from './explain-git.ts'
import { type GitDeps, runGit } from './git.ts'
import { identityOf, removeMark, type WorktreeMark, writeMark } from './mark.ts'
import { isFolder } from './read-text.ts'
import type { WorkspaceDeps } from './worktree.ts'
import { worktreeError } from './worktree-errors.ts'
import { askWorktrees, isBegunFor, removeBegun } from './worktree-list.ts'

/**
 * Takes back what of a worktree is there without being whole: the folder (into the trash of the home, in one step), what git
 * knows of it, and a branch that was made for it and still has nothing of its own. The mark goes last, so that a kill in
 * between is gone on with by the next call; it stays, as that of a retired worktree, where the branch is that of an earlier
 * attempt. Undefined when the place is free.
 */
export async function takeBack(
  deps: WorkspaceDeps,
  path: string,
  mark: WorktreeMark,
): Promise<WorkspaceFault | undefined> {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat !== undefined) {
    const isOurs = stat.isDirectory() && (mark.identity === null || mark.identity === identityOf(path))
    if (!isOurs) return faultOf('task', worktreeError('WORKSPACES_PLACE_TAKEN', { path }))
    renameSync(path, trashPath(deps, path))
  }
  if (isFolder(mark.gitDir)) {
    const fault = await unregister(deps, path, mark)
    if (fault !== undefined) return fault
    const isMadeForIt = mark.state === 'making' && !mark.branchWasThere
    const kept = isMadeForIt ? await removeEmptyBranch(deps, path, mark) : undefined
    if (kept !== undefined) return kept
  }
  if (mark.state === 'making') removeMark(path)
  else writeMark(path, { ...mark, state: 'retired', identity: null, setup: null })
  return undefined
}

/** A new place in the trash of the home, which is emptied beside the work. On the same disk as the workspaces. */
export function trashPath({ home, random }: Pick<WorkspaceDeps, 'home' | 'random'>, path: string): string {
  const trash = join(realPath(home), 'trash')
  makeFolder(trash, 0o700)
  return join(trash, `${basename(path)}-${random.hex(8)}`)
}

/** This one entry, locked or not; never `git worktree prune`, which would judge those of others. */
export async function unregister(
  deps: GitDeps,
  path: string,
  { gitDir }: Pick<WorktreeMark, 'gitDir'>,
): Promise<WorkspaceFault | undefined> {
  const args = ['worktree', 'remove', '--force', '--force', '--', path]
  const answer = await askWorktrees(deps, { gitDir, path, args })
  removeBegun(gitDir, isBegunFor(path))
  if (answer.ok || /is not a working tree/.test(answer.stderr)) return undefined
  return explainGit(answer, { doing: `forget the worktree ${path}`, repo: gitDir })
}

/** A git that could not say, or was ended with its attempt, is asked again by the next call: nobody else knows whose branch it is. */
async function removeEmptyBranch(
  deps: GitDeps,
  path: string,
  { gitDir, branch, baseCommit }: WorktreeMark,
): Promise<WorkspaceFault | undefined> {
  const ref = `refs/heads/${branch}`
  rmSync(join(gitDir, `${ref}.lock`), { force: true }) // of a git of ours that was killed; nobody else makes this branch
  const args = ['for-each-ref', '--format=%(objectname) %(worktreepath)', ref]
  const answer = await askWorktrees(deps, { gitDir, path, args })
  if (!answer.ok) return explainGit(answer, { doing: `look at the branch ${branch}`, repo: gitDir })
  if (answer.stdout.trim() !== baseCommit) return undefined // not made, moved on, or checked out by somebody
  const removed = await runGit(deps, { cwd: gitDir, args: ['update-ref', '-d', ref, baseCommit] })
  // Where somebody else holds a lock for long it stays: that is no reason not to work.
  const isCut = !removed.ok && removed.aborted
  return isCut ? explainGit(removed, { doing: `remove the branch ${branch}`, repo: gitDir }) : undefined
}
