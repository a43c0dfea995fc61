import { dirname } from 'node:path'
import { makeFolder } from '../kernel/index.ts'
import { explainGit, faultOf, type WorkspaceFault } from './explain-git.ts'
import { keepSubmodules, keptAs, resetSubmodules } from './fresh-submodules.ts'
import { faultOfSystem, type HarvestFault } from './harvest-fault.ts'
import { worktreeGit } from './harvest-git.ts'
import type { WorktreeMark } from './mark.ts'
import { putBack } from './put-back.ts'
import type { SavedState } from './save-state.ts'
import type { WorkspaceDeps, Worktree } from './worktree.ts'
import { worktreeError } from './worktree-errors.ts'

export interface Afresh {
  readonly ok: true
  readonly saved: SavedState | null
  readonly notes: readonly string[]
}

/**
 * Puts a worktree back to where it began (`fresh: true`): what the attempt before left is stored as a patch first, its
 * commits are kept by a ref, and where that cannot be done nothing is touched. Then branch, files and index are those of the
 * base, and everything that is not in it is removed, ignored files too: only what `setup` has made stays, since that is not
 * made again. With something in it that no patch can hold nothing is removed, and it is said what that is.
 */
export async function startAfresh(
  deps: WorkspaceDeps,
  { worktree, mark, saveTo }: { readonly worktree: Worktree; readonly mark: WorktreeMark; readonly saveTo: string },
): Promise<Afresh | WorkspaceFault> {
  makeFolder(dirname(saveTo), 0o700)
  const inIt = { git: worktreeGit(deps, worktree), commit: worktree.baseCommit, task: worktree.task }
  let kept: readonly string[]
  try {
    kept = await keepSubmodules(deps, inIt)
  } catch (fault) {
    return notSaved(saveTo, faultOfSystem(fault))
  }
  const back = await putBack(deps, { worktree, commit: worktree.baseCommit, saveTo })
  if (!back.ok) {
    const error = worktreeError('WORKSPACES_PATCH_NOT_SAVED', { file: saveTo, said: back.why })
    return faultOf(back.fault === 'short' ? 'short' : 'machine', error)
  }
  if (back.unstored.length > 0) {
    const said = back.unstored.join('; ')
    return faultOf('task', worktreeError('WORKSPACES_PATCH_NOT_SAVED', { file: saveTo, said }))
  }
  try {
    await resetSubmodules(deps, inIt)
  } catch (fault) {
    return notSaved(saveTo, faultOfSystem(fault))
  }
  const made = (mark.setup?.made ?? []).flatMap((path) => ['-e', exactly(path)])
  const cleaned = await worktreeGit(deps, worktree).try(['clean', '-ffdxq', ...made])
  if (!cleaned.ok) return explainGit(cleaned, { doing: `empty ${worktree.path}`, repo: worktree.repo })
  return { ok: true, saved: back.saved, notes: [...back.notes, ...kept.map(sayKept)] }
}

const sayKept = (path: string) => `what the submodule ${path} held besides is kept in it, under ${keptAs}`

function notSaved(file: string, { fault, message }: HarvestFault): WorkspaceFault {
  const error = worktreeError('WORKSPACES_PATCH_NOT_SAVED', { file, said: message })
  return faultOf(fault === 'short' ? 'short' : 'machine', error)
}

/** A path as a pattern of git: from the top, and nothing in it special. */
const exactly = (path: string): string => `/${path.replace(/[\\*?[\]!# ]/g, '\\$&')}`
