import { realPath } from '../kernel/index.ts'
import { explainGit, type WorkspaceFault } from './explain-git.ts'
import { type GitDeps, runGit } from './git.ts'

/** A repository on this machine, as seen from a folder in it. */
export interface Repository {
  /** Real path of its top folder; of a bare one, its own. */
  readonly top: string
  /** Real path of what all its worktrees share. */
  readonly gitDir: string
  readonly isBare: boolean
  readonly isShallow: boolean
  /** Checked out there, without `refs/heads/`; null: detached. */
  readonly branch: string | null
  /** Null: no commit yet. */
  readonly commit: string | null
  /** Changed or new files that a worktree would not have; null: not asked. */
  readonly dirtyFiles: number | null
}

export type FoundRepository =
  | { readonly kind: 'found'; readonly repository: Repository }
  /** The folder lies in no repository. */
  | { readonly kind: 'none' }
  /** There is one, and git cannot work with it; or there is no git. */
  | { readonly kind: 'closed'; readonly why: WorkspaceFault }

/** Finds the repository that `path` lies in, with one call of git, and a second where changed files are to be counted. */
export async function findRepository(
  deps: GitDeps,
  { path, dirtyFiles = 'skip' }: { readonly path: string; readonly dirtyFiles?: 'count' | 'skip' },
): Promise<FoundRepository> {
  const answer = await runGit(deps, { cwd: path, args: ['rev-parse', ...asked] })
  const lines = answer.stdout.split('\n')
  const [isBare, isShallow, gitDir, top] = lines
  // Without a commit the names that follow cannot be resolved; what came before is printed all the same.
  const isUnborn = !answer.ok && /ambiguous argument 'HEAD'|Needed a single revision/.test(answer.stderr)
  if (!answer.ok && !isUnborn && isBare !== 'true') {
    const why = explainGit(answer, { doing: `look at ${path}`, repo: path })
    return why.error.code === 'WORKSPACES_NO_REPOSITORY' ? { kind: 'none' } : { kind: 'closed', why }
  }
  if (isBare === 'true') return await findBare(deps, path, isShallow === 'true', gitDir ?? '')
  const repository = {
    top: realPath(top ?? ''),
    gitDir: realPath(gitDir ?? ''),
    isBare: false,
    isShallow: isShallow === 'true',
    ...(isUnborn ? { commit: null, branch: null } : headOf(lines.slice(4))),
    dirtyFiles: dirtyFiles === 'count' ? await countDirty(deps, top ?? '') : null,
  }
  return { kind: 'found', repository }
}

const shape = ['--is-bare-repository', '--is-shallow-repository', '--path-format=absolute', '--git-common-dir']
const asked = [...shape, '--show-toplevel', 'HEAD', '--symbolic-full-name', 'HEAD']

/** `--show-toplevel` is an error in a bare repository, and whatever is asked after it. */
async function findBare(deps: GitDeps, cwd: string, isShallow: boolean, gitDir: string): Promise<FoundRepository> {
  const answer = await runGit(deps, { cwd, args: ['rev-parse', 'HEAD', '--symbolic-full-name', 'HEAD'] })
  const head = answer.ok ? headOf(answer.stdout.split('\n')) : { commit: null, branch: null }
  const place = realPath(gitDir)
  return {
    kind: 'found',
    repository: { top: place, gitDir: place, isBare: true, isShallow, ...head, dirtyFiles: null },
  }
}

function headOf([commit = '', name = '']: readonly string[]): Pick<Repository, 'commit' | 'branch'> {
  return { commit, branch: name.startsWith('refs/heads/') ? name.slice('refs/heads/'.length) : null }
}

async function countDirty(deps: GitDeps, top: string): Promise<number | null> {
  const args = ['status', '--porcelain', '-z', '--untracked-files=normal', '--no-renames']
  const answer = await runGit(deps, { cwd: top, args })
  return answer.ok ? answer.bytes.reduce((files, byte) => (byte === 0 ? files + 1 : files), 0) : null
}

/** `main@4f1c2aa`, for people. */
export function sayHead({ branch, commit }: Pick<Repository, 'branch' | 'commit'>): string {
  const short = commit?.slice(0, 7) ?? 'no commit'
  return branch === null ? short : `${branch}@${short}`
}
