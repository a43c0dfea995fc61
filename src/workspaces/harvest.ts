import { type Clock, formatRunId, type RunId } from '../kernel/index.ts'
import type { GitDeps } from './git.ts'
import { findBase } from './harvest-base.ts'
import { faultOfSystem, type HarvestFaultKind } from './harvest-fault.ts'
import type { WorktreeGit } from './harvest-git.ts'
import { madeHere, readHeadLog } from './harvest-head-log.ts'
import { lookAtLeft } from './harvest-look.ts'
import { openPlace } from './harvest-place.ts'
import { keepRefOf } from './harvest-refs.ts'
import { chooseResult } from './harvest-result.ts'
import { settle } from './harvest-settle.ts'
import { gatherTree } from './harvest-tree.ts'
import { buildMayChange } from './may-change.ts'
import type { ChangedFile, PatchStats } from './patch-stats.ts'
import { type Compared, compareCommits, writePatch } from './patch-write.ts'
import type { Worktree } from './worktree.ts'

export type HarvestDeps = GitDeps & { readonly clock: Clock }

export interface HarvestInput {
  readonly worktree: Worktree
  readonly run: RunId
  readonly title: string
  /** Globs of what may be changed; null: everything. */
  readonly mayChange: readonly string[] | null
  /** Absolute file that the patch is written to; its folder exists. */
  readonly into: string
}

/** The same shape as the board's `Change` without its patch, which this part does not know. */
export interface HarvestedChange {
  readonly run: RunId
  readonly repo: string
  readonly branch: string
  readonly baseRef: string | null
  /** What the result is compared with; where the branch began unless a note says otherwise. */
  readonly baseCommit: string
  readonly headCommit: string
  readonly commits: number
  readonly fileCount: number
  readonly insertions: number
  readonly deletions: number
  readonly files: readonly ChangedFile[]
  readonly leftOvers: boolean
  readonly outside: readonly string[]
  readonly notes: readonly string[]
}

/** `patchBytes` null: nothing was changed, and nothing was written. A fault leaves worktree and branch as they were, or further on; a later call goes on. */
export type Harvest =
  | { readonly ok: true; readonly change: HarvestedChange; readonly patchBytes: number | null }
  | { readonly ok: false; readonly fault: HarvestFaultKind; readonly why: string }

/**
 * Records what an attempt has left in its worktree, in whatever state that is: what it did not commit is committed by us, a ref
 * of ours keeps the result, the task's branch is moved to it, and no commit that it made becomes unreachable. Then the
 * result is compared with where it began. To be called when nothing of the attempt is alive; may be called again.
 */
export async function harvest(deps: HarvestDeps, input: HarvestInput): Promise<Harvest> {
  try {
    return await record(deps, input)
  } catch (fault) {
    const { fault: kind, message } = faultOfSystem(fault)
    return { ok: false, fault: kind, why: message }
  }
}

async function record(deps: HarvestDeps, input: HarvestInput): Promise<Harvest> {
  const { worktree, run, title, into } = input
  const { task, branch, baseRef, baseCommit } = worktree
  const keepRef = keepRefOf(branch, formatRunId(run))
  const place = openPlace(deps, worktree)
  const { git } = place
  const left = await lookAtLeft(git, { branch, baseRef, baseCommit, keepRef, head: place.head })
  const gathered = await gatherTree(place, left)
  const moves = readHeadLog(worktree.adminDir)
  const made = madeHere(moves)
  const result = await chooseResult(deps, { run, task, title, branch, place, left, tree: gathered.tree, made })
  const settled = await settle({ worktree, run, place, left, moves, keepRef, result: result.commit })
  const compared = await findBase(git, { left, result: result.commit, made })
  const ends = { base: compared.commit, result: result.commit.id }
  const mayChange = input.mayChange === null ? () => true : buildMayChange(input.mayChange)
  const [stats, commits] = await Promise.all([
    compareCommits(git, { ...ends, mayChange, scratch: `${into}.stats` }),
    result.commit.parents.join() === ends.base ? 1 : countCommits(git, ends),
  ])
  const patch = stats.fileCount === 0 ? null : await writePatch(git, { ...ends, stats, into })
  const { fileCount, insertions, deletions, files, outside } = stats
  const notes = [place, gathered, result].flatMap((each) => each.notes)
  notes.push(...gathered.unstored)
  notes.push(...settled, ...compared.notes, ...sayLinks(stats), ...(patch?.notes ?? []))
  return {
    ok: true,
    patchBytes: patch?.bytes ?? null,
    change: {
      ...{ run, repo: worktree.repo, branch, baseRef, baseCommit: ends.base, headCommit: ends.result, commits },
      ...{ fileCount, insertions, deletions, files, leftOvers: result.leftOvers, outside, notes },
    },
  }
}

async function countCommits(git: WorktreeGit, { base, result }: Compared): Promise<number> {
  return Number((await git.with({ files: 'none' }).run(['rev-list', '--count', result, `^${base}`])).stdout)
}

function sayLinks({ gitlinks }: PatchStats): readonly string[] {
  if (gitlinks.length === 0) return []
  return [`of the submodule ${gitlinks.join(', ')} only the number of its commit is recorded; its files are not`]
}
