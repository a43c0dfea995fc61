import { dirname } from 'node:path'
import { makeFolder } from '../kernel/index.ts'
import { explainGit, faultOf, type WorkspaceFault } from './explain-git.ts'
import { type GitAnswer, runGit } from './git.ts'
import { worktreeGit } from './harvest-git.ts'
import { keepRefOf, refOfLost } from './harvest-refs.ts'
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
 * Puts a worktree back to where it began (`fresh: true`): what the attempt before left is stored as a patch first, and where
 * that cannot be done nothing is touched. Then branch, files and index are those of the base, and everything that is not in
 * it is removed, ignored files too: only what `setup` has made stays, since that is not made again.
 */
export async function startAfresh(
  deps: WorkspaceDeps,
  { worktree, mark, saveTo }: { readonly worktree: Worktree; readonly mark: WorktreeMark; readonly saveTo: string },
): Promise<Afresh | WorkspaceFault> {
  makeFolder(dirname(saveTo), 0o700)
  const kept = await keepTips(deps, worktree)
  if (!kept.ok) return explainGit(kept, { doing: 'keep the commits of the attempt before', repo: worktree.repo })
  const back = await putBack(deps, { worktree, commit: worktree.baseCommit, saveTo })
  if (!back.ok) {
    const error = worktreeError('WORKSPACES_PATCH_NOT_SAVED', { file: saveTo, said: back.why })
    return faultOf(back.fault === 'short' ? 'short' : 'machine', error)
  }
  const made = (mark.setup?.made ?? []).flatMap((path) => ['-e', exactly(path)])
  const cleaned = await worktreeGit(deps, worktree).try(['clean', '-ffdxq', ...made])
  if (!cleaned.ok) return explainGit(cleaned, { doing: `empty ${worktree.path}`, repo: worktree.repo })
  return { ok: true, saved: back.saved, notes: back.notes }
}

/** Commits of the attempt before stay in the repository under a ref of ours: the patch has what they came to, not how. */
async function keepTips(deps: WorkspaceDeps, { gitDir, adminDir, branch, baseCommit }: Worktree): Promise<GitAnswer> {
  const call = { cwd: adminDir, env: { GIT_DIR: adminDir, GIT_COMMON_DIR: gitDir } }
  const tips = ['HEAD', `refs/heads/${branch}`]
  const args = ['rev-list', '--max-count=1', '--no-walk', '--ignore-missing']
  const found = await Promise.all(tips.map((tip) => runGit(deps, { ...call, args: [...args, tip, '--'] })))
  const commits = [...new Set(found.map(({ stdout }) => stdout.trim()))].filter(
    (each) => each !== '' && each !== baseCommit,
  )
  const input = commits.map((each) => `update ${refOfLost(keepRefOf(branch, 'before'), each)} ${each}\n`).join('')
  return await runGit(deps, { ...call, args: ['update-ref', '--stdin'], input })
}

/** A path as a pattern of git: from the top, and nothing in it special. */
const exactly = (path: string): string => `/${path.replace(/[\\*?[\]!# ]/g, '\\$&')}`
