import { lstatSync, readdirSync, rmdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { formatTaskId, makeFolder, type TaskId, type YardError } from '../kernel/index.ts'
import { addOnBranch, addOnNewBranch } from './add-worktree.ts'
import { findBase } from './base.ts'
import { checkGit } from './check-git.ts'
import { copyAlong } from './copy-along.ts'
import { workspacesError } from './errors.ts'
import { type FaultOf, faultOf, type WorkspaceFault } from './explain-git.ts'
import { findRepository } from './find-repository.ts'
import { inTurn } from './in-turn.ts'
import { keepWorktree } from './keep-worktree.ts'
import { identityOf, readMark, type WorktreeMark, writeMark } from './mark.ts'
import { isUrl } from './mirror.ts'
import { isFolder } from './read-text.ts'
import type { SavedState } from './save-state.ts'
import { startAfresh } from './start-afresh.ts'
import { takeBack } from './take-back.ts'
import { workspacePath } from './workspace-path.ts'
import { type WorkspaceDeps, type Worktree, worktreeOf } from './worktree.ts'
import { worktreeError } from './worktree-errors.ts'

export interface AskedWorktree {
  readonly task: TaskId
  readonly title: string
  /** Absolute path of a repository, or of a folder in one; or a URL. */
  readonly repo: string
  /** Branch, tag or commit to begin from; null: what is checked out there, of a URL the remote's own branch. */
  readonly ref: string | null
  /** Of a URL: how many commits are fetched; null: all. */
  readonly depth: number | null
  /** Ignored files to bring along: paths and globs below the top folder. */
  readonly copy: readonly string[]
  /** Where those are taken from when the repository has no checkout of its own (a URL, a bare one). Absolute. */
  readonly copyFrom: string
  /** What becomes of what an earlier attempt has left. */
  readonly attempts: 'keep' | 'fresh'
  /** Absolute file for what `fresh` takes away. */
  readonly savePatchTo: string
}

export type MadeWorktree =
  | {
      readonly ok: true
      readonly worktree: Worktree
      readonly how: 'made' | 'kept' | 'reset'
      /** Sentences for people: what was found in an odd state, and what was made of it. */
      readonly notes: readonly string[]
      /** What `fresh` took away; null where there was nothing. */
      readonly saved: SavedState | null
    }
  | { readonly ok: false; readonly fault: FaultOf; readonly error: YardError }

/**
 * Gives a task its worktree, at `<home>/workspaces/T5` on a branch `yard/t5-…` of its own: a new one, or the one of its last
 * attempt, kept as it was left or reset to where it began. Whatever it finds half made by a kill is taken back first; a
 * folder that is not ours is never touched. Ordinary faults are answered, each with what to do.
 */
export async function makeWorktree(deps: WorkspaceDeps, asked: AskedWorktree): Promise<MadeWorktree> {
  const path = workspacePath(deps.home, asked.task)
  return await inTurn(path, () => make(deps, asked, path))
}

async function make(deps: WorkspaceDeps, asked: AskedWorktree, path: string): Promise<MadeWorktree> {
  makeFolder(dirname(path), 0o700)
  const tooOld = await checkGit(deps, dirname(path))
  if (tooOld !== undefined) return tooOld
  const mark = readMark(path)
  if (mark === 'broken') return faultOf('task', worktreeError('WORKSPACES_MARK_BROKEN', { path }))
  if (mark?.kind === 'worktree' && mark.repo !== asked.repo) return otherRepo(path, mark, asked)
  if (mark?.kind === 'worktree' && mark.state === 'making_again') return await makeAgain(deps, asked, { path, mark })
  if (mark?.kind === 'worktree' && mark.state !== 'making') return await goOn(deps, asked, { path, mark })
  const inTheWay = mark?.kind === 'worktree' ? await takeBack(deps, path, mark) : clearPlace(path, asked.task)
  if (inTheWay !== undefined) return inTheWay
  return await makeNew(deps, asked, [])
}

/** A scratch folder that nobody has used gives way; one with something in it is somebody's work. */
function clearPlace(path: string, task: TaskId): WorkspaceFault | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return undefined
  const mark = readMark(path)
  const isOurs = mark !== undefined && mark !== 'broken' && mark.identity === identityOf(path)
  if (!isOurs) return faultOf('task', worktreeError('WORKSPACES_PLACE_TAKEN', { path }))
  if (readdirSync(path).length > 0) {
    const values = { path, task: formatTaskId(task), is: 'scratch folder', asked: 'worktree' }
    return faultOf('task', workspacesError('WORKSPACES_KIND_CHANGED', values))
  }
  rmdirSync(path)
  return undefined
}

function otherRepo(path: string, mark: WorktreeMark, asked: AskedWorktree): WorkspaceFault {
  const values = { path, task: formatTaskId(asked.task), is: mark.repo, asked: asked.repo }
  return faultOf('task', worktreeError('WORKSPACES_OTHER_REPO', values))
}

interface Known {
  readonly path: string
  readonly mark: WorktreeMark
}

async function goOn(deps: WorkspaceDeps, asked: AskedWorktree, known: Known): Promise<MadeWorktree> {
  const kept = keepWorktree(known)
  if (!kept.ok) return kept
  if (kept.kind === 'gone') return await makeAgain(deps, asked, known)
  const { worktree, notes } = kept
  if (asked.attempts === 'keep') return { ok: true, worktree, how: 'kept', notes, saved: null }
  return await reset(deps, asked, { ...known, worktree, notes })
}

async function reset(
  deps: WorkspaceDeps,
  asked: AskedWorktree,
  { worktree, mark, notes }: Known & { readonly worktree: Worktree; readonly notes: readonly string[] },
): Promise<MadeWorktree> {
  const afresh = await startAfresh(deps, { worktree, mark, saveTo: asked.savePatchTo })
  if (!afresh.ok) return afresh
  const copied = await bringAlong(deps, asked, { to: worktree.path, top: await topOf(deps, asked) })
  if (!copied.ok) return copied
  return { ok: true, worktree, how: 'reset', notes: [...notes, ...afresh.notes, ...copied.notes], saved: afresh.saved }
}

/** The folder was removed under us: the branch has what was committed. */
async function makeAgain(deps: WorkspaceDeps, asked: AskedWorktree, { path, mark }: Known): Promise<MadeWorktree> {
  const inTheWay = await takeBack(deps, path, mark)
  if (inTheWay !== undefined) return inTheWay
  if (!isFolder(mark.gitDir))
    return await makeNew(deps, asked, ['the repository that had its branch is not there any more'])
  const added = await addOnBranch(deps, { path, mark })
  if (!added.ok) return added
  if (added.kind === 'no_branch') {
    return await makeNew(deps, asked, ['its worktree and branch were removed since: it begins from the base again'])
  }
  const said = `its worktree had been removed: it was made anew from the last commit of ${mark.branch}`
  const notes = [said, ...added.notes]
  const done = await complete(deps, asked, { ...added, path, top: await topOf(deps, asked), notes })
  if (!done.ok || asked.attempts === 'keep') return done
  return await reset(deps, asked, { path, mark: added.mark, worktree: done.worktree, notes: done.notes })
}

async function makeNew(deps: WorkspaceDeps, asked: AskedWorktree, before: readonly string[]): Promise<MadeWorktree> {
  const base = await findBase(deps, asked)
  if (!base.ok) return base
  const path = workspacePath(deps.home, asked.task)
  const { task, title, repo } = asked
  const added = await addOnNewBranch(deps, { path, task, title, repo, base })
  if (!added.ok) return added
  const notes = [...before, ...base.notes, ...added.notes]
  return await complete(deps, asked, { ...added, path, top: base.top, notes })
}

/** Ready is said last: until then a kill leaves something that is taken back and made anew. */
async function complete(
  deps: WorkspaceDeps,
  asked: AskedWorktree,
  { path, mark, top, notes }: Known & { readonly top: string | null; readonly notes: readonly string[] },
): Promise<MadeWorktree> {
  const copied = await bringAlong(deps, asked, { to: path, top })
  if (!copied.ok) return (await takeBack(deps, path, mark)) ?? copied
  const ready: WorktreeMark = { ...mark, state: 'ready', identity: identityOf(path) ?? null }
  const worktree = worktreeOf(path, ready)
  if (worktree === undefined) return faultOf('machine', worktreeError('WORKSPACES_PLACE_TAKEN', { path }))
  writeMark(path, ready)
  return { ok: true, worktree, how: 'made', notes: [...notes, ...copied.notes], saved: null }
}

/** Where ignored files are taken from: the checkout that the worktree belongs to, where there is one. */
async function topOf(deps: WorkspaceDeps, asked: AskedWorktree): Promise<string | null> {
  if (asked.copy.length === 0 || isUrl(asked.repo)) return null
  const found = await findRepository(deps, { path: asked.repo })
  return found.kind === 'found' && !found.repository.isBare ? found.repository.top : null
}

async function bringAlong(
  deps: WorkspaceDeps,
  { copy, copyFrom }: AskedWorktree,
  { to, top }: { readonly to: string; readonly top: string | null },
): Promise<{ readonly ok: true; readonly notes: readonly string[] } | WorkspaceFault> {
  if (copy.length === 0) return { ok: true, notes: [] }
  return await copyAlong(deps, { from: top ?? copyFrom, to, patterns: copy })
}
