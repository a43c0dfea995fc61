import type { FoundPatch } from './found-patch.ts'

export interface ChosenPatches {
  /** One of a task, by its number. */
  readonly chosen: readonly FoundPatch[]
  /** Tasks whose patch is left out, by why. */
  readonly leftOut: { readonly notDone: readonly number[]; readonly notChecked: readonly number[] }
}

/**
 * Which patches are meant: of each task the newest; of a batch or a folder those whose attempt is done; with `checked` those on
 * which a check of ours has passed. A task that was named by itself is taken as it is: whoever names it has looked at it.
 */
export function choosePatches(found: readonly FoundPatch[], which: 'all' | 'checked'): ChosenPatches {
  const newest = new Map<number, FoundPatch>()
  for (const patch of found) if (patch.run > (newest.get(patch.task)?.run ?? 0)) newest.set(patch.task, patch)
  const sorted = [...newest.values()].sort((a, b) => a.task - b.task)
  const done = sorted.filter((patch) => patch.named || patch.outcome === 'done')
  const chosen = which === 'all' ? done : done.filter((patch) => patch.checked)
  const tasksBut = (all: readonly FoundPatch[], kept: readonly FoundPatch[]) =>
    all.filter((patch) => !kept.includes(patch)).map((patch) => patch.task)
  return { chosen, leftOut: { notDone: tasksBut(sorted, done), notChecked: tasksBut(done, chosen) } }
}
