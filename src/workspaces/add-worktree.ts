import { realPath, type TaskId } from '../kernel/index.ts'
import type { Base } from './base.ts'
import { branchFolder, branchName } from './branch-name.ts'
import { explainGit, faultOf, isDiskFull, type WorkspaceFault } from './explain-git.ts'
import { type GitAnswer, type GitFailed, runGit } from './git.ts'
import { gitError } from './git-errors.ts'
import { readGitFile } from './git-file.ts'
import { type WorktreeMark, writeMark } from './mark.ts'
import { lfsIsMissing, oddNotes, withoutLfs } from './odd-notes.ts'
import { takeBack } from './take-back.ts'
import type { WorkspaceDeps } from './worktree.ts'
import { askWorktrees, lockReason } from './worktree-list.ts'

export interface Added {
  readonly ok: true
  readonly kind: 'added'
  /** Still being made: whoever asked says when it is ready. */
  readonly mark: WorktreeMark
  readonly notes: readonly string[]
}

interface NewBranch {
  readonly path: string
  readonly task: TaskId
  readonly title: string
  readonly repo: string
  readonly base: Base
}

/** More tasks of one number and title than this in one repository would be a mistake of ours. */
const mostCopies = 1_000

/**
 * Checks the base out on a branch of the task's own, whose name nobody else has. Nothing is written into the configuration
 * of the repository, so that any number of them may be made in the same moment. What fails is taken back.
 */
export async function addOnNewBranch(deps: WorkspaceDeps, asked: NewBranch): Promise<Added | WorkspaceFault> {
  const { path, task, title, repo, base } = asked
  const taken = await takenNames(deps, asked)
  if (!(taken instanceof Set)) return taken
  for (let copy = 1; copy <= mostCopies; copy += 1) {
    const branch = branchName(task, title, copy)
    if (isTaken(branch, taken)) continue
    const { gitDir, ref: baseRef, commit: baseCommit } = base
    const begun = { task, repo, gitDir, branch, branchWasThere: false, baseRef, baseCommit, setup: null }
    const mark = begin(path, 'making', begun)
    // Made first: an `add -b` that is asked again would meet its own branch and take it for another's.
    const named = await runGit(deps, { cwd: gitDir, args: ['branch', '--no-track', branch, baseCommit] })
    const answer = named.ok ? await checkOut(deps, mark, path, [...placed(path), branch]) : named
    if (answer.ok) return added(deps, path, mark, answer)
    const wasFaster = !named.ok && /a branch named .* already exists/.test(named.stderr)
    if (wasFaster) begin(path, 'making', { ...begun, branchWasThere: true }) // another's: it is not taken back
    const left = await takeBack(deps, path, wasFaster ? { ...mark, branchWasThere: true } : mark)
    if (left !== undefined) return left
    if (!wasFaster) return explainAdd(answer, { branch, repo })
    taken.add(branch)
  }
  throw new Error(`${mostCopies} branches are called ${branchName(task, title)}`)
}

/** Checks out what the branch of an earlier attempt has. no_branch: it was removed. */
export async function addOnBranch(
  deps: WorkspaceDeps,
  { path, mark: before }: { readonly path: string; readonly mark: WorktreeMark },
): Promise<Added | { readonly ok: true; readonly kind: 'no_branch' } | WorkspaceFault> {
  const { branch, gitDir, repo } = before
  const ref = `refs/heads/${branch}`
  const known = await runGit(deps, { cwd: gitDir, args: ['rev-parse', '--verify', '--quiet', ref] })
  if (!known.ok) {
    return known.exitCode === 1 ? { ok: true, kind: 'no_branch' } : explainGit(known, { doing: `find ${branch}`, repo })
  }
  const mark = begin(path, 'making_again', { ...before, branchWasThere: true, setup: null })
  const answer = await checkOut(deps, mark, path, [...placed(path), branch])
  if (answer.ok) return added(deps, path, mark, answer)
  return (await takeBack(deps, path, mark)) ?? explainAdd(answer, { branch, repo })
}

const placed = (path: string): readonly string[] => ['--lock', '--reason', lockReason(path), '--', path]

function begin(
  path: string,
  state: 'making' | 'making_again',
  known: Omit<WorktreeMark, 'kind' | 'version' | 'state' | 'identity' | 'adminDir'>,
): WorktreeMark {
  const mark = { ...known, kind: 'worktree', version: 1, state, identity: null, adminDir: null } as const
  writeMark(path, mark)
  return mark
}

/** Registered in turn, which is short; the files, which take long, beside each other. */
async function checkOut(
  deps: WorkspaceDeps,
  { gitDir }: WorktreeMark,
  path: string,
  args: readonly string[],
): Promise<GitAnswer> {
  const add = ['worktree', 'add', '--quiet', '--no-checkout', ...args]
  const known = await askWorktrees(deps, { gitDir, path, args: add })
  if (!known.ok) return known
  // By name: a `core.worktree` that somebody wrote into the configuration would have the files written elsewhere.
  const env = { GIT_DIR: readGitFile(path) ?? path, GIT_COMMON_DIR: gitDir, GIT_WORK_TREE: path }
  const call = { cwd: path, args: ['reset', '--hard', '--quiet'], env, pace: 'background' } as const
  const answer = await runGit(deps, call)
  if (answer.ok || !lfsIsMissing(answer.stderr)) return answer
  return await runGit(deps, { ...call, config: withoutLfs })
}

function added(deps: WorkspaceDeps, path: string, mark: WorktreeMark, answer: GitAnswer): Added | WorkspaceFault {
  const leads = readGitFile(path)
  if (leads === undefined)
    return faultOf(
      'machine',
      gitError('WORKSPACES_GIT_FAILED', { doing: 'make a worktree', said: 'it wrote no .git file' }),
    )
  return {
    ok: true,
    kind: 'added',
    mark: { ...mark, adminDir: realPath(leads) },
    notes: oddNotes(deps, path, answer.stderr),
  }
}

async function takenNames(
  deps: WorkspaceDeps,
  { task, base, title }: NewBranch,
): Promise<Set<string> | WorkspaceFault> {
  const own = `${branchName(task, '')}*`
  const args = ['for-each-ref', '--format=%(refname:lstrip=2)', `refs/heads/${branchFolder}`, `refs/heads/${own}`]
  const answer = await runGit(deps, { cwd: base.gitDir, args: [...args, `refs/heads/${own}/**`] })
  if (!answer.ok) return explainGit(answer, { doing: 'read the branches', repo: base.gitDir })
  const names = new Set(answer.stdout.split('\n').map((name) => name.toLowerCase()))
  if (!names.has(branchFolder)) return names
  return faultOf('task', gitError('WORKSPACES_BRANCH_CLASH', { branch: branchName(task, title), taken: branchFolder }))
}

/** Also where another branch lies below it, as in a folder; and on disks that know no capitals. */
function isTaken(branch: string, names: ReadonlySet<string>): boolean {
  return names.has(branch) || [...names].some((name) => name.startsWith(`${branch}/`))
}

function explainAdd(
  answer: GitFailed,
  { branch, repo }: { readonly branch: string; readonly repo: string },
): WorkspaceFault {
  const { stderr } = answer
  const where = /is already (?:checked out|used by worktree) at '(.*)'/.exec(stderr)?.[1]
  if (where !== undefined) return faultOf('task', gitError('WORKSPACES_BRANCH_ELSEWHERE', { branch, where }))
  const taken = /'refs\/heads\/(\S+)' exists; cannot create/.exec(stderr)?.[1]
  if (taken !== undefined && !isDiskFull(stderr))
    return faultOf('task', gitError('WORKSPACES_BRANCH_CLASH', { branch, taken }))
  return explainGit(answer, { doing: 'make the worktree', repo })
}
