import { lstatSync, renameSync } from 'node:fs'
import { formatTaskId, type TaskId } from '../kernel/index.ts'
import { type GitDeps, runGit } from './git.ts'
import { inTurn } from './in-turn.ts'
import { whyUntied } from './keep-worktree.ts'
import { readMark, removeMark, type WorktreeMark, writeMark } from './mark.ts'
import { isFolder } from './read-text.ts'
import { trashPath, unregister } from './take-back.ts'
import { workspacePath } from './workspace-path.ts'
import { type WorkspaceDeps, worktreeOf } from './worktree.ts'

export type Retired =
  | { readonly ok: true; readonly branch: 'kept' | 'removed' }
  | { readonly ok: false; readonly says: string }

export interface RetireInput {
  readonly task: TaskId
  /** stays: it has commits that are in no other branch. */
  readonly branch: 'goes' | 'stays'
  /** Asked in the last moment, in one turn of the loop with the step that takes the folder away. */
  readonly mayGo: () => boolean
}

/**
 * Takes the checkout of a task away: its folder in one step into the trash of the home, then its one entry in the repository;
 * nothing else there is touched. The branch is kept, and a retry goes on from it, unless it has nothing of its own. A kill in
 * between leaves a mark without a folder, which the next call goes on with.
 */
export async function retireWorktree(deps: WorkspaceDeps, input: RetireInput): Promise<Retired> {
  const path = workspacePath(deps.home, input.task)
  return await inTurn(path, async () => {
    const mark = readMark(path)
    if (mark === undefined || mark === 'broken' || mark.kind !== 'worktree') {
      return { ok: false, says: `${path} is no worktree that we have made` }
    }
    const moved = moveAway(deps, path, mark, input)
    if (moved !== undefined) return { ok: false, says: moved }
    if (!isFolder(mark.gitDir)) {
      removeMark(path)
      return { ok: true, branch: 'removed' }
    }
    const fault = await unregister(deps, path, mark)
    if (fault !== undefined) return { ok: false, says: fault.error.message }
    const branch = input.branch === 'goes' && (await removeBranch(deps, mark)) ? 'removed' : 'kept'
    if (branch === 'removed') removeMark(path)
    else writeMark(path, { ...mark, state: 'retired', identity: null, setup: null })
    return { ok: true, branch }
  })
}

/** Undefined when the folder is in the trash, or was gone before; else why it stays. */
function moveAway(
  deps: WorkspaceDeps,
  path: string,
  mark: WorktreeMark,
  { mayGo, task }: RetireInput,
): string | undefined {
  if (!mayGo()) return `${formatTaskId(task)} is at work again`
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined
  const worktree = worktreeOf(path, mark)
  if (worktree === undefined) return `${path} is not the folder that we have made`
  const untied = isFolder(worktree.gitDir) ? whyUntied(worktree) : undefined
  if (untied !== undefined) return untied.error.message
  renameSync(path, trashPath(deps, path))
  return undefined
}

/** From the tip that was seen and only from there, and never one that is checked out somewhere. */
async function removeBranch(deps: GitDeps, { gitDir, branch }: WorktreeMark): Promise<boolean> {
  const ref = `refs/heads/${branch}`
  const args = ['for-each-ref', '--format=%(objectname) %(worktreepath)', ref]
  const answer = await runGit(deps, { cwd: gitDir, args })
  const [tip = '', where = ''] = answer.stdout.trim().split(' ')
  if (!answer.ok) return false
  if (tip === '') return true
  if (where !== '') return false
  return (await runGit(deps, { cwd: gitDir, args: ['update-ref', '-d', ref, tip] })).ok
}
