import type { Clock, RunId, TaskId } from '../kernel/index.ts'
import { short } from './harvest-base.ts'
import { isOfRun, storeCommit } from './harvest-commit.ts'
import type { WorktreeGit } from './harvest-git.ts'
import type { Commit, Left } from './harvest-look.ts'
import type { Place } from './harvest-place.ts'

export interface ResultInput {
  readonly run: RunId
  readonly task: TaskId
  readonly title: string
  readonly branch: string
  readonly place: Place
  readonly left: Left
  /** What lay in the worktree. */
  readonly tree: string
  /** Commits that the attempt has made itself. */
  readonly made: ReadonlySet<string>
}

export interface Result {
  readonly commit: Commit
  /** Something of it was committed by us. */
  readonly leftOvers: boolean
  readonly notes: readonly string[]
}

/** What lay in the worktree, as a commit: the one that it stood on where nothing was left over, else one of ours on top of it. */
export async function chooseResult({ clock }: { readonly clock: Clock }, input: ResultInput): Promise<Result> {
  const { place, left, tree, run, task, title, branch } = input
  const under = left.head ?? left.branch ?? left.base
  const parents = [under.id, ...left.mergeHeads.filter((head) => head !== under.id)]
  const isClean = tree === under.tree && parents.length === 1
  const own = isClean ? await backToBranch(input) : undefined
  if (own !== undefined) {
    const note = `HEAD stood at ${short(under.id)} with nothing new: the result is the tip of ${branch}`
    return { commit: own, leftOvers: isOfRun(own, run), notes: [note] }
  }
  const grounded = await joinBase(place.git, left, parents)
  if (isClean && grounded.length === 1) return { commit: under, leftOvers: isOfRun(under, run), notes: [] }
  const { kept } = left
  const isKept = kept !== null && kept.tree === tree && kept.parents.join() === grounded.join()
  const wanted = { tree, parents: grounded, run, task, title, atMs: clock.nowMs() }
  const commit = isKept ? kept : await storeCommit(place.git, wanted)
  const joins = 'what was checked out has no history in common with where the branch began; the result joins both'
  return { commit, leftOvers: !isClean, notes: grounded.length > parents.length ? [joins] : [] }
}

/**
 * An attempt may end looking at something that it only visited (a bisect, an older commit, another branch) while its own branch
 * holds its work. Then that is checked out again and counts; undefined where it is not so.
 */
async function backToBranch({ place, left, made }: ResultInput): Promise<Commit | undefined> {
  const { head, branch, base, isOnBranch } = left
  if (place.head === 'branch' || head === null || branch === null || isOnBranch) return undefined
  if (branch.id === head.id || branch.id === base.id || made.has(head.id)) return undefined
  if (place.files === 'there') {
    const answer = await place.git.try(['read-tree', '-m', '-u', head.id, branch.id])
    if (!answer.ok) return undefined // an ignored file is in the way: what lies there counts
  }
  return branch
}

/** A history that has nothing in common with the base is joined with it: else nobody could merge the branch. */
async function joinBase(git: WorktreeGit, { base }: Left, parents: readonly string[]): Promise<readonly string[]> {
  if (parents.includes(base.id)) return parents
  const common = await git.with({ files: 'none' }).try(['merge-base', base.id, ...parents])
  return common.ok || common.exitCode !== 1 ? parents : [base.id, ...parents]
}
