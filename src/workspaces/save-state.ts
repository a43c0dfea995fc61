import type { HarvestDeps } from './harvest.ts'
import { storeCommit } from './harvest-commit.ts'
import { faultOfSystem, type HarvestFaultKind } from './harvest-fault.ts'
import { readHeadLog } from './harvest-head-log.ts'
import { lookAtLeft, readNamedCommits } from './harvest-look.ts'
import { openPlace } from './harvest-place.ts'
import { findLost, keepLost, keepRefOf } from './harvest-refs.ts'
import { gatherTree } from './harvest-tree.ts'
import { compareCommits, writePatch } from './patch-write.ts'
import type { Worktree } from './worktree.ts'

/** A patch of what a worktree holds against where it began. */
export interface SavedState {
  readonly file: string
  readonly bytes: number
}

/** `saved` null: it holds nothing that the base does not, and nothing was written. */
export type Saved =
  | { readonly ok: true; readonly saved: SavedState | null; readonly notes: readonly string[] }
  | { readonly ok: false; readonly fault: HarvestFaultKind; readonly why: string }

/**
 * Writes all that a worktree holds against its base into one patch, `into`: commits, changes, new files that are not ignored,
 * in whatever state an operation was left. No file, branch or HEAD changes; commits that only this worktree knows get a ref of
 * ours, and so does all that it holds where something of it is too large for a patch.
 */
export async function saveState(
  deps: HarvestDeps,
  { worktree, into }: { readonly worktree: Worktree; readonly into: string },
): Promise<Saved> {
  const { task, branch, baseRef, baseCommit, adminDir } = worktree
  try {
    const place = openPlace(deps, worktree)
    const { git, head } = place
    const keepRef = keepRefOf(branch, 'cleaned')
    const left = await lookAtLeft(git, { branch, baseRef, baseCommit, keepRef, head })
    const { tree, notes, unstored } = await gatherTree(place, left)
    if (unstored.length > 0) return { ok: false, fault: 'machine', why: unstored.join('; ') }
    const named = readHeadLog(adminDir).flatMap(({ from, to }) => [from, to])
    const tips = left.head === null ? [] : [left.head.id]
    const reachable = [left.base.id, ...(left.branch === null ? [] : [left.branch.id])]
    const lost = await findLost(git, { named: [...tips, ...named, ...readNamedCommits(adminDir)], reachable, branch })
    await keepLost(git, keepRef, lost)
    const ends = { base: left.base.id, result: tree }
    const stats = await compareCommits(git, { ...ends, mayChange: () => true, scratch: `${into}.stats` })
    if (stats.fileCount === 0) return { ok: true, saved: null, notes: [...place.notes, ...notes] }
    const written = await writePatch(git, { ...ends, stats, into })
    if (written.notes.length > 0) {
      const parents = [left.head?.id ?? left.base.id]
      const input = { tree, parents, task, run: null, title: 'Left in the worktree', atMs: deps.clock.nowMs() }
      await keepLost(git, keepRef, [(await storeCommit(git, input)).id])
    }
    const saved = { file: into, bytes: written.bytes }
    return { ok: true, saved, notes: [...place.notes, ...notes, ...written.notes] }
  } catch (fault) {
    const { fault: kind, message } = faultOfSystem(fault)
    return { ok: false, fault: kind, why: message }
  }
}
