import { lstatSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { makeFolder, realPath } from '../kernel/index.ts'
import { explainGit, faultOf, type WorkspaceFault } from './explain-git.ts'
import { type GitDeps, runGit } from './git.ts'
import { identityOf, removeMark, type WorktreeMark } from './mark.ts'
import { readSmall } from './read-small.ts'
import type { WorkspaceDeps } from './worktree.ts'
import { worktreeError } from './worktree-errors.ts'
import { changeWorktrees } from './worktree-list.ts'

/**
 * Takes back what of a worktree is there without being whole: the folder (into the trash of the home, in one step), what git
 * knows of it, and a branch that was made for it and still has nothing of its own. The mark goes last, so that a kill in
 * between is gone on with by the next call. Undefined when the place is free.
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
    if (mark.state === 'making' && !mark.branchWasThere) await removeEmptyBranch(deps, mark)
  }
  removeMark(path)
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
  const answer = await changeWorktrees(deps, { gitDir, args: ['remove', '--force', '--force', '--', path] })
  removeBegun(gitDir, path)
  if (answer.ok || /is not a working tree/.test(answer.stderr)) return undefined
  return explainGit(answer, { doing: `forget the worktree ${path}`, repo: gitDir })
}

/** Written into the lock of each worktree of ours before anything else of it: how one that has no more than that is known. */
export const lockReason = (path: string): string => `yardmaster ${path}`

/** What a killed `git worktree add` leaves in its first moments: an entry that does not say yet where it belongs. */
function removeBegun(gitDir: string, path: string): void {
  const entries = join(gitDir, 'worktrees')
  if (!isFolder(entries)) return
  for (const name of readdirSync(entries)) {
    const entry = join(entries, name)
    const isBegun = readText(join(entry, 'gitdir')).trim() === ''
    if (isBegun && readText(join(entry, 'locked')).trim() === lockReason(path)) {
      rmSync(entry, { recursive: true, force: true })
    }
  }
}

async function removeEmptyBranch(deps: GitDeps, { gitDir, branch, baseCommit }: WorktreeMark): Promise<void> {
  const ref = `refs/heads/${branch}`
  rmSync(join(gitDir, `${ref}.lock`), { force: true }) // of a git of ours that was killed; nobody else makes this branch
  const args = ['for-each-ref', '--format=%(objectname) %(worktreepath)', ref]
  const answer = await runGit(deps, { cwd: gitDir, args })
  if (answer.stdout.trim() !== baseCommit) return // not made, moved on, or checked out by somebody
  await runGit(deps, { cwd: gitDir, args: ['update-ref', '-d', ref, baseCommit] })
}

export function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** Empty where there is no plain, small file. */
export const readText = (path: string): string => readSmall(path) ?? ''
