import type { YardError } from '../kernel/index.ts'
import { explainGit, faultOf, type WorkspaceFault } from './explain-git.ts'
import { type GitDeps, runGit } from './git.ts'
import { gitError } from './git-errors.ts'

/** From this one on `worktree add --lock` takes a reason. */
const least = [2, 33] as const

/** Asked once for each PATH: git is not exchanged under a hub every day, and each start of it costs the loop. */
const known = new Map<string, readonly number[]>()

/** Of the git on this machine, `2.39.5`; or why there is none that worktrees can be made with. */
export async function readGitVersion(deps: GitDeps, cwd: string): Promise<string | YardError> {
  const fault = await checkGit(deps, cwd)
  return fault === undefined ? (known.get(deps.env.PATH ?? '') ?? []).join('.') : fault.error
}

/** Undefined when the git of this machine can do what worktrees need. */
export async function checkGit(deps: GitDeps, cwd: string): Promise<WorkspaceFault | undefined> {
  const path = deps.env.PATH ?? ''
  const version = known.get(path) ?? (await askVersion(deps, cwd))
  if ('ok' in version) return version
  known.set(path, version)
  const [major = 0, minor = 0] = version
  if (major > least[0] || (major === least[0] && minor >= least[1])) return undefined
  known.delete(path) // whoever installs a newer one is not made to restart the hub
  return faultOf('machine', gitError('WORKSPACES_GIT_TOO_OLD', { version: version.join('.'), least: least.join('.') }))
}

async function askVersion(deps: GitDeps, cwd: string): Promise<readonly number[] | WorkspaceFault> {
  const answer = await runGit(deps, { cwd, args: ['version'], timeoutMs: 10_000 })
  if (!answer.ok) return explainGit(answer, { doing: 'say its version', repo: cwd })
  const said = /(\d+)\.(\d+)(?:\.(\d+))?/.exec(answer.stdout)
  return (said ?? []).slice(1).map((part) => Number(part ?? 0))
}
