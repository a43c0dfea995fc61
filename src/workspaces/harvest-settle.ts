import { formatRunId, type RunId } from '../kernel/index.ts'
import type { WorktreeGit } from './harvest-git.ts'
import type { HeadMove } from './harvest-head-log.ts'
import { type Commit, endOperations, type Left, readNamedCommits } from './harvest-look.ts'
import type { Place } from './harvest-place.ts'
import { findLost, keepCommits, moveHead, refOfLost } from './harvest-refs.ts'
import type { Worktree } from './worktree.ts'

export interface SettleInput {
  readonly worktree: Worktree
  readonly run: RunId
  readonly place: Place
  readonly left: Left
  readonly moves: readonly HeadMove[]
  readonly keepRef: string
  readonly result: Commit
}

/**
 * First keeps the result and every commit that would be lost; then moves the task's branch to the result, puts HEAD of the
 * worktree on it, and ends what git was in the middle of. Answers sentences for people. A branch that somebody else has
 * checked out, or has moved meanwhile, is left alone.
 */
export async function settle(input: SettleInput): Promise<readonly string[]> {
  const { worktree, place, left, keepRef, result } = input
  const { branch } = worktree
  const run = formatRunId(input.run)
  const elsewhere = left.isOnBranch ? undefined : await findCheckout(place.git, branch)
  const lost = await findAllLost(input)
  const move = elsewhere === undefined ? { branch, seen: left.branch?.id ?? null, run } : undefined
  const moved = await keepCommits(place.git, { keepRef, result: result.id, lost, move })
  const refused = elsewhere === undefined ? moved : `it is checked out in ${elsewhere}`
  const notes = [...sayLost(lost, { tip: left.branch?.id, branch, keepRef })]
  if (refused !== undefined) notes.push(`${branch} was not moved to the result, which is ${keepRef}: ${refused}`)
  if (left.branch === null) notes.push(`${branch} was not there any more and was made again`)
  if (place.head === 'branch') return notes
  if (refused !== undefined) await moveHead(place.git, { branch: null, to: result.id, run })
  else if (!left.isOnBranch) await moveHead(place.git, { branch, to: result.id, run })
  endOperations(worktree.adminDir)
  return [...notes, ...sayHead(left, branch)]
}

async function findAllLost({ worktree, place, left, moves, result }: SettleInput): Promise<readonly string[]> {
  const tips = [left.head, left.branch, left.kept].flatMap((commit) => (commit === null ? [] : [commit.id]))
  const logged = moves.flatMap(({ from, to }) => [from, to])
  return await findLost(place.git, {
    named: [...tips, ...logged, ...readNamedCommits(worktree.adminDir)],
    reachable: [result.id, left.base.id],
    branch: worktree.branch,
  })
}

const mostTold = 3

function sayLost(
  lost: readonly string[],
  { tip, branch, keepRef }: { readonly tip: string | undefined; readonly branch: string; readonly keepRef: string },
): readonly string[] {
  const others = lost.filter((commit) => commit !== tip)
  const notes =
    others.length < lost.length && tip !== undefined
      ? [`the former tip of ${branch} is kept as ${refOfLost(keepRef, tip)}`]
      : []
  if (others.length > mostTold)
    notes.push(`${others.length} commits that nothing else refers to are kept as ${keepRef}.kept-…`)
  else
    notes.push(
      ...others.map((commit) => `a commit that nothing else refers to is kept as ${refOfLost(keepRef, commit)}`),
    )
  return notes
}

function sayHead({ headRef, isOnBranch, inProgress }: Left, branch: string): readonly string[] {
  const notes =
    inProgress.length === 0 ? [] : [`${inProgress.join(' and ')} was in progress and has been ended as it stood`]
  if (headRef === null) notes.push(`HEAD was detached; ${branch} is checked out again`)
  else if (!isOnBranch) notes.push(`${headRef.replace('refs/heads/', '')} was checked out; ${branch} is again`)
  return notes
}

async function findCheckout(git: WorktreeGit, branch: string): Promise<string | undefined> {
  const args = ['for-each-ref', '--format=%(worktreepath)', `refs/heads/${branch}`]
  const { stdout } = await git.with({ files: 'none', adminDir: git.gitDir }).run(args)
  return stdout.trim() === '' ? undefined : stdout.trim()
}
