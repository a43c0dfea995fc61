import { lstatSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { realPath } from '../kernel/index.ts'
import { faultOf, type WorkspaceFault } from './explain-git.ts'
import { gitFile, readGitFile } from './git-file.ts'
import type { WorktreeMark } from './mark.ts'
import { isFolder, readText } from './read-text.ts'
import { type Worktree, worktreeOf } from './worktree.ts'
import { worktreeError } from './worktree-errors.ts'

export type Kept =
  | { readonly ok: true; readonly kind: 'kept'; readonly worktree: Worktree; readonly notes: readonly string[] }
  /** Its folder is not there any more, or empty. */
  | { readonly ok: true; readonly kind: 'gone' }

/**
 * Looks whether the worktree of the last attempt is still ours and still leads to its own place in the repository: by its
 * number on the disk, and both ways by what git has written, before any git is run in it. Locks that a dead git has left in
 * its own part of the repository are removed; all else stays as the attempt left it, a rebase in its middle included.
 */
export function keepWorktree({
  path,
  mark,
}: {
  readonly path: string
  readonly mark: WorktreeMark
}): Kept | WorkspaceFault {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return { ok: true, kind: 'gone' }
  const worktree = worktreeOf(path, mark)
  if (worktree === undefined) return faultOf('task', worktreeError('WORKSPACES_PLACE_TAKEN', { path }))
  if (readdirSync(path).length === 0) {
    rmdirSync(path)
    return { ok: true, kind: 'gone' }
  }
  const fault = whyUntied(worktree)
  if (fault !== undefined) return fault
  const notes = [...mendGitFile(worktree), ...removeStaleLocks(worktree), ...describeState(worktree)]
  return { ok: true, kind: 'kept', worktree, notes }
}

/** Undefined where folder and repository know each other; a `.git` file that is gone can be written again. */
export function whyUntied({ path, adminDir, gitDir }: Worktree): WorkspaceFault | undefined {
  const file = lstatSync(gitFile(path), { throwIfNoEntry: false })
  if (file !== undefined) {
    const leads = readGitFile(path)
    if (leads === undefined || realPath(leads) !== adminDir) {
      const told = leads ?? 'something that is no such file'
      return faultOf('task', worktreeError('WORKSPACES_GIT_FILE_ELSEWHERE', { path, leads: told }))
    }
  }
  const isKnown =
    isFolder(adminDir) &&
    realPath(readText(join(adminDir, 'gitdir')).trim()) === realPath(gitFile(path)) &&
    realPath(join(adminDir, readText(join(adminDir, 'commondir')).trim())) === gitDir
  return isKnown ? undefined : faultOf('task', worktreeError('WORKSPACES_UNREGISTERED', { path, gitDir }))
}

function mendGitFile({ path, adminDir }: Worktree): readonly string[] {
  if (lstatSync(gitFile(path), { throwIfNoEntry: false }) !== undefined) return []
  writeFileSync(gitFile(path), `gitdir: ${adminDir}\n`, { flag: 'wx' })
  return ['its .git file had been removed and was written again']
}

/** Whatever could hold one is gone: the tree of the last attempt is. Those of the repository itself may be somebody's. */
function removeStaleLocks({ adminDir, gitDir, branch }: Worktree): readonly string[] {
  const ownBranch = join(gitDir, 'refs', 'heads', `${branch}.lock`)
  const found = [
    ...locksIn(adminDir),
    ...(lstatSync(ownBranch, { throwIfNoEntry: false })?.isFile() ? [ownBranch] : []),
  ]
  for (const lock of found) rmSync(lock, { force: true })
  return found.length === 0 ? [] : [`stale locks of its own were removed: ${found.join(', ')}`]
}

/** `modules` are repositories of their own. */
function locksIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory() && entry.name !== 'modules') return locksIn(join(folder, entry.name))
    return entry.isFile() && entry.name.endsWith('.lock') ? [join(folder, entry.name)] : []
  })
}

/** What git was in the middle of, by the file that it leaves. */
const operations: Readonly<Record<string, string>> = {
  'rebase-merge': 'a rebase',
  'rebase-apply': 'a rebase or `git am`',
  MERGE_HEAD: 'a merge',
  CHERRY_PICK_HEAD: 'a cherry-pick',
  REVERT_HEAD: 'a revert',
  BISECT_LOG: 'a bisect',
}

function describeState({ adminDir, branch }: Worktree): readonly string[] {
  const open = Object.entries(operations).flatMap(([file, what]) =>
    lstatSync(join(adminDir, file), { throwIfNoEntry: false }) === undefined ? [] : [`${what} is in its middle`],
  )
  const head = readText(join(adminDir, 'HEAD')).trim()
  const isElsewhere = head !== `ref: refs/heads/${branch}` && !head.endsWith('.invalid')
  return [...open, ...(isElsewhere ? [`it stands on ${head.replace('ref: refs/heads/', '')}, not on ${branch}`] : [])]
}
