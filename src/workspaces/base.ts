import { nearestName, type TaskId } from '../kernel/index.ts'
import { workspacesError } from './errors.ts'
import { explainGit, faultOf, type WorkspaceFault } from './explain-git.ts'
import { findRepository, type Repository } from './find-repository.ts'
import { runGit } from './git.ts'
import { gitError } from './git-errors.ts'
import { isUrl, refreshMirror } from './mirror.ts'
import { ownHomes } from './own-homes.ts'
import { isInside, resolveWorkspace } from './resolve-workspace.ts'
import type { WorkspaceDeps } from './worktree.ts'

/** Where a worktree is made from: a repository on this disk and a commit in it. */
export interface Base {
  readonly ok: true
  /** Real path of what all worktrees share; git is run there. */
  readonly gitDir: string
  /** Of ignored files to bring along; null: of a bare repository or a mirror, which has none. */
  readonly top: string | null
  readonly ref: string | null
  readonly commit: string
  readonly notes: readonly string[]
}

export interface AskedBase {
  readonly task: TaskId
  readonly repo: string
  readonly ref: string | null
  readonly depth: number | null
}

/** Finds repository and commit, of a URL in its mirror, which is brought up to date first; or says why there is none to begin from. */
export async function findBase(deps: WorkspaceDeps, asked: AskedBase): Promise<Base | WorkspaceFault> {
  const { ref } = asked
  if (ref !== null && !isPlainRef(ref)) return faultOf('task', gitError('WORKSPACES_BAD_REF', { ref }))
  return isUrl(asked.repo) ? await baseInMirror(deps, asked) : await baseInFolder(deps, asked)
}

/** Whatever git could take for an option, or two things at once, is no name. */
function isPlainRef(ref: string): boolean {
  return ref !== '' && ref.length <= 1_000 && !ref.startsWith('-') && !/[\0-\x20\x7f]|\.\.|:/.test(ref)
}

async function baseInMirror(deps: WorkspaceDeps, asked: AskedBase): Promise<Base | WorkspaceFault> {
  const mirror = await refreshMirror(deps, { url: asked.repo, ref: asked.ref, depth: asked.depth })
  if (!mirror.ok) return mirror
  const { gitDir, head } = mirror
  const ref = asked.ref ?? head
  // Its own branches are those of tasks, and any worker may make more: the remote's come first.
  const commit = await findCommit(deps, gitDir, [`refs/remotes/origin/${ref}`, ref])
  if (typeof commit !== 'string') {
    if (!('missing' in commit)) return commit
    if (asked.ref === null) return faultOf('task', gitError('WORKSPACES_REPO_EMPTY', { repo: asked.repo }))
    return await noSuchRef(deps, { gitDir, repo: asked.repo, ref })
  }
  return { ok: true, gitDir, top: null, ref, commit, notes: [] }
}

async function baseInFolder(deps: WorkspaceDeps, { task, repo, ref }: AskedBase): Promise<Base | WorkspaceFault> {
  const workspace = { kind: 'dir', path: repo, shared: true } as const
  const folder = resolveWorkspace(deps, { task, kind: 'run', workspace, dir: repo })
  if (!folder.ok) return faultOf('task', folder.error)
  const found = await findRepository(deps, { path: folder.path })
  if (found.kind === 'closed') return found.why
  if (found.kind === 'none') return faultOf('task', gitError('WORKSPACES_NO_REPOSITORY', { repo }))
  const { repository } = found
  const inHome = whyInHome(deps, repository, repo)
  if (inHome !== undefined) return inHome
  const { gitDir, isBare, branch, commit } = repository
  const shared = { ok: true, gitDir, top: isBare ? null : repository.top, notes: notesOn(repository) } as const
  if (ref === null) {
    if (commit === null) return faultOf('task', gitError('WORKSPACES_REPO_EMPTY', { repo }))
    return { ...shared, ref: branch, commit }
  }
  const wanted = await findCommit(deps, isBare ? gitDir : repository.top, [ref, `refs/remotes/origin/${ref}`])
  if (typeof wanted === 'string') return { ...shared, ref, commit: wanted }
  if (!('missing' in wanted)) return wanted
  if (commit === null && ref === 'HEAD') return faultOf('task', gitError('WORKSPACES_REPO_EMPTY', { repo }))
  return await noSuchRef(deps, { gitDir, repo, ref })
}

/** A `.git` file may lead anywhere, and the folder's own name says nothing about that. */
function whyInHome({ home }: WorkspaceDeps, { top, gitDir }: Repository, path: string): WorkspaceFault | undefined {
  const own = ownHomes(home).find((each) => isInside(each, top) || isInside(each, gitDir))
  return own === undefined ? undefined : faultOf('task', workspacesError('WORKSPACES_IN_HOME', { path, home: own }))
}

function notesOn({ isShallow }: Repository): readonly string[] {
  return isShallow ? ['the repository is a shallow clone: commits from before its edge are not there'] : []
}

/** The commit that the first of these names stands for. */
async function findCommit(
  deps: WorkspaceDeps,
  cwd: string,
  names: readonly string[],
): Promise<string | { readonly missing: true } | WorkspaceFault> {
  for (const name of names) {
    const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]
    const answer = await runGit(deps, { cwd, args })
    if (answer.ok) return answer.stdout.trim()
    if (answer.exitCode !== 1 && answer.exitCode !== 128)
      return explainGit(answer, { doing: `find ${name}`, repo: cwd })
  }
  return { missing: true }
}

const mostNames = 5_000

async function noSuchRef(
  deps: WorkspaceDeps,
  { gitDir, repo, ref }: { readonly gitDir: string; readonly repo: string; readonly ref: string },
): Promise<WorkspaceFault> {
  const args = [
    'for-each-ref',
    `--count=${mostNames}`,
    '--format=%(refname:lstrip=2)',
    'refs/heads',
    'refs/tags',
    'refs/remotes',
  ]
  const answer = await runGit(deps, { cwd: gitDir, args })
  const names = answer.stdout.split('\n').filter((name) => name !== '')
  const near = nearestName(
    ref,
    names.flatMap((name) => [name, name.replace(/^origin\//, '')]),
  )
  return faultOf('task', gitError('WORKSPACES_NO_REF', { ref, repo, near: near === undefined ? [] : [near] }))
}
