import type { HarvestDeps } from './harvest.ts'
import { storeCommit } from './harvest-commit.ts'
import { faultOfSystem, HarvestFault, type HarvestFaultKind } from './harvest-fault.ts'
import { readHeadLog } from './harvest-head-log.ts'
import { endOperations, lookAtLeft, readCommits, readNamedCommits } from './harvest-look.ts'
import { openPlace } from './harvest-place.ts'
import { afterRefOf, findLost, keepLost, moveBranch, moveHead } from './harvest-refs.ts'
import { gatherTree } from './harvest-tree.ts'
import { compareCommits, writePatch } from './patch-write.ts'
import type { Worktree } from './worktree.ts'

export interface PutBackInput {
  readonly worktree: Worktree
  /** What the author's attempt came to. */
  readonly commit: string
  /** Absolute file for what is taken out of the worktree; its folder exists. */
  readonly saveTo: string
}

/** `saved` null: the worktree was as it should be, and nothing was written. */
export type PutBack =
  | {
      readonly ok: true
      readonly saved: { readonly file: string; readonly bytes: number } | null
      readonly notes: readonly string[]
      /** Those of the notes that name what stayed in the worktree, because it could not be stored. */
      readonly unstored: readonly string[]
    }
  | { readonly ok: false; readonly fault: HarvestFaultKind; readonly why: string }

/**
 * Takes out of a worktree what a check or a reviewer has left there: saves it as a patch against `commit`, keeps what they
 * committed, then puts files, branch and HEAD back to `commit`. Ignored files stay, and what could not be read. Changes
 * nothing that it has not saved before.
 */
export async function putBack(deps: HarvestDeps, { worktree, commit, saveTo }: PutBackInput): Promise<PutBack> {
  try {
    const place = openPlace(deps, worktree)
    const { git } = place
    if (place.files === 'none' || place.head === 'branch') {
      throw new HarvestFault('gone', 'the worktree is not there any more')
    }
    const { branch, baseRef, baseCommit, adminDir, task } = worktree
    const afterRef = afterRefOf(branch)
    const left = await lookAtLeft(git, { branch, baseRef, baseCommit, keepRef: afterRef, head: 'worktree' })
    const [wanted] = await readCommits(git.with({ files: 'none' }), [commit])
    if (wanted == null) throw new HarvestFault('gone', `the commit ${commit} is not in ${worktree.gitDir} any more`)
    const { tree, notes, unstored, git: filtered } = await gatherTree(place, left)
    const named = readHeadLog(adminDir).flatMap(({ from, to }) => [from, to])
    const tips = [left.head, left.branch].flatMap((tip) => (tip === null ? [] : [tip.id]))
    const reachable = [commit, left.base.id]
    const lost = await findLost(git, { named: [...tips, ...named, ...readNamedCommits(adminDir)], reachable, branch })
    await keepLost(git, afterRef, lost)
    const saved = tree === wanted.tree ? null : await save()
    await filtered.run(['read-tree', '--reset', '-u', commit])
    const seen = left.branch?.id ?? null
    const refused = await moveBranch(git, { branch, seen, to: commit, run: 'put back' })
    await moveHead(git, { branch: refused === undefined ? branch : null, to: commit, run: 'put back' })
    endOperations(adminDir)
    const said = refused === undefined ? [] : [`${branch} was not moved back: ${refused}`]
    const file = saved === null ? null : { file: saveTo, bytes: saved.bytes }
    return {
      ok: true,
      saved: file,
      unstored,
      notes: [...place.notes, ...notes, ...unstored, ...(saved?.notes ?? []), ...said],
    }

    async function save() {
      const ends = { base: commit, result: tree }
      const stats = await compareCommits(git, { ...ends, mayChange: () => true, scratch: `${saveTo}.stats` })
      const patch = await writePatch(git, { ...ends, stats, into: saveTo })
      if (patch.notes.length > 0) {
        const atMs = deps.clock.nowMs()
        const input = { tree, parents: [commit], task, run: null, title: 'Left by a check or a review', atMs }
        await keepLost(git, afterRef, [(await storeCommit(git, input)).id])
      }
      return patch
    }
  } catch (fault) {
    const { fault: kind, message } = faultOfSystem(fault)
    return { ok: false, fault: kind, why: message }
  }
}
