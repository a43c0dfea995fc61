import { applyError } from './apply-errors.ts'
import type { ApplyGit } from './apply-git.ts'
import type { ApplyTarget } from './apply-target.ts'

/** Which of these commits this repository does not have. */
export async function findUnknown(git: ApplyGit, commits: readonly string[]): Promise<ReadonlySet<string>> {
  const distinct = [...new Set(commits)]
  if (distinct.length === 0) return new Set()
  const input = distinct.map((commit) => `${commit}^{commit}\n`).join('')
  const { stdout } = await git.run(['cat-file', '--batch-check=%(objecttype)'], { input })
  const lines = stdout.split('\n')
  return new Set(distinct.filter((_, i) => lines[i] !== 'commit'))
}

/**
 * Where the commits begin: at the tip of a branch that is there. A new one begins at what is checked out where that holds the
 * bases of all patches; else at the newest base, where it holds the others; else at the newest commit that all of them hold.
 */
export async function findStart(git: ApplyGit, target: ApplyTarget, bases: readonly string[]): Promise<string> {
  if (target.tip !== null) return target.tip
  const distinct = [...new Set(bases)]
  const head = await git.try(['rev-parse', '--verify', '-q', 'HEAD^{commit}'])
  if (head.ok && (await holdsAll(git, head.stdout.trim(), distinct))) return head.stdout.trim()
  const newest = (await git.run(['merge-base', '--independent', ...distinct])).stdout.trim().split('\n')
  if (newest.length === 1 && newest[0] !== undefined && newest[0] !== '') return newest[0]
  const common = await git.try(['merge-base', '--octopus', ...distinct])
  const found = common.stdout.trim()
  if (common.ok && found !== '') return found
  throw applyError('WORKSPACES_APPLY_NO_START', { onto: target.onto })
}

async function holdsAll(git: ApplyGit, commit: string, bases: readonly string[]): Promise<boolean> {
  const { stdout } = await git.run(['rev-list', '--max-count=1', ...bases, '--not', commit])
  return stdout.trim() === ''
}

/** Attempts whose commits are on the branch already, since the oldest of the bases (`R12`). */
export async function findApplied(
  git: ApplyGit,
  { start, bases }: { readonly start: string; readonly bases: readonly string[] },
): Promise<ReadonlySet<string>> {
  const distinct = [...new Set(bases)]
  const common = await git.try(['merge-base', '--octopus', start, ...distinct])
  const since = common.ok ? [`^${common.stdout.trim()}`] : []
  const format = '--format=%(trailers:key=Yardmaster-Run,valueonly)'
  const { stdout } = await git.run(['log', '--max-count=20000', format, start, ...since])
  return new Set(
    stdout
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => /^R\d+$/.test(line)),
  )
}
