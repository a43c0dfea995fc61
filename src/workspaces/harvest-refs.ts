import type { WorktreeGit } from './harvest-git.ts'
import { ourWords } from './harvest-head-log.ts'

/** `refs/yardmaster/t5-fix/R12`: keeps what an attempt came to, whatever becomes of its branch. */
export function keepRefOf(branch: string, run: string): string {
  return `refs/yardmaster/${branch.replace(/^yard\//, '')}/${run}`
}

export interface KeepInput {
  readonly keepRef: string
  readonly result: string
  /** Commits that nothing else would refer to any more. */
  readonly lost: readonly string[]
  /** Moved along from where it was seen, and only from there (null: it was not there); absent: it is left alone. */
  readonly move: { readonly branch: string; readonly seen: string | null; readonly run: string } | undefined
}

/**
 * Keeps the result and what would be lost, and moves the task's branch, in one step; where the branch cannot be moved, the
 * keeping alone. Answers why it was not moved. A second call for the same attempt changes nothing that is kept.
 */
export async function keepCommits(
  git: WorktreeGit,
  { keepRef, result, lost, move }: KeepInput,
): Promise<string | undefined> {
  const kept = [
    `update ${keepRef} ${result}`,
    ...lost.map((commit) => `update ${refOfLost(keepRef, commit)} ${commit}`),
  ]
  const bare = git.with({ files: 'none' })
  if (move !== undefined && move.seen !== result) {
    const line = `update refs/heads/${move.branch} ${result} ${move.seen ?? '0'.repeat(result.length)}`
    const args = ['update-ref', '-m', `${ourWords}${move.run}`, '--stdin']
    const both = await bare.try(args, { input: `${[...kept, line].join('\n')}\n`, config: logged })
    if (both.ok) return undefined
    await bare.run(['update-ref', '--stdin'], { input: `${kept.join('\n')}\n` })
    return await moveBranch(git, { ...move, to: result })
  }
  await bare.run(['update-ref', '--stdin'], { input: `${kept.join('\n')}\n` })
  return undefined
}

/** Also in a mirror, which keeps no logs by itself: they tell what an attempt has made. */
const logged = ['core.logAllRefUpdates=true']

/** `refs/yardmaster/t5-fix/after`: before what a check or a reviewer has committed, and nobody refers to. */
export const afterRefOf = (branch: string): string => keepRefOf(branch, 'after')

/** Keeps commits that nothing else would refer to. */
export async function keepLost(git: WorktreeGit, keepRef: string, lost: readonly string[]): Promise<void> {
  if (lost.length === 0) return
  const input = lost.map((commit) => `update ${refOfLost(keepRef, commit)} ${commit}\n`).join('')
  await git.with({ files: 'none' }).run(['update-ref', '--stdin'], { input })
}

export const refOfLost = (keepRef: string, commit: string): string => `${keepRef}.kept-${commit.slice(0, 12)}`

/**
 * Tips of what only the log of this worktree, or an operation in progress, still names, and nothing under `refs/` has. Most
 * attempts have none, and the first look says so.
 */
export async function findLost(
  git: WorktreeGit,
  {
    named,
    reachable,
    branch,
  }: { readonly named: readonly string[]; readonly reachable: readonly string[]; readonly branch: string },
): Promise<readonly string[]> {
  const candidates = [...new Set(named)].filter((commit) => !reachable.includes(commit) && !/^0+$/.test(commit))
  if (candidates.length === 0) return []
  const near = await listCommits(git, candidates, reachable, [])
  if (near.size === 0) return []
  const parents = await listCommits(
    git,
    [...near.keys()].filter((commit) => candidates.includes(commit)),
    reachable,
    [`--exclude=refs/heads/${branch}`, '--all'],
  )
  const inner = new Set([...parents.values()].flat())
  return [...parents.keys()].filter((commit) => candidates.includes(commit) && !inner.has(commit))
}

/** Commits with their parents. */
async function listCommits(
  git: WorktreeGit,
  from: readonly string[],
  not: readonly string[],
  refs: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (from.length === 0) return new Map()
  const input = [...from, ...not.map((commit) => `^${commit}`)].map((line) => `${line}\n`).join('')
  const beside = refs.length === 0 ? [] : ['--single-worktree', '--not', ...refs]
  const args = ['rev-list', '--parents', '--ignore-missing', '--stdin', ...beside]
  const { stdout } = await git.with({ files: 'none', adminDir: git.gitDir }).run(args, { input })
  return new Map(
    stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [commit = '', ...parents] = line.split(' ')
        return [commit, parents]
      }),
  )
}

export interface MoveInput {
  readonly branch: string
  /** Its tip as it was seen; null: it was not there. */
  readonly seen: string | null
  readonly to: string
  /** For the log: R12. */
  readonly run: string
}

/** Moves the task's branch from where it was seen, and only from there; else answers why not. */
export async function moveBranch(git: WorktreeGit, { branch, seen, to, run }: MoveInput): Promise<string | undefined> {
  if (seen === to) return undefined
  const none = '0'.repeat(to.length)
  const args = ['update-ref', '-m', `${ourWords}${run}`, `refs/heads/${branch}`, to, seen ?? none]
  const answer = await git.with({ files: 'none' }).try(args, { config: logged })
  return answer.ok ? undefined : answer.stderr.split('\n')[0]?.replace(/^(fatal|error): /, '')
}

/** Puts HEAD of the worktree on the branch, or on the commit where the branch is not to be had. No file changes. */
export async function moveHead(
  git: WorktreeGit,
  { branch, to, run }: { readonly branch: string | null; readonly to: string; readonly run: string },
): Promise<void> {
  const words = ['-m', `${ourWords}${run}`]
  const bare = git.with({ files: 'none' })
  if (branch === null) await bare.run(['update-ref', ...words, '--no-deref', 'HEAD', to])
  else await bare.run(['symbolic-ref', ...words, 'HEAD', `refs/heads/${branch}`])
}
