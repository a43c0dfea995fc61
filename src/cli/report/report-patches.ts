import type { BatchReportView } from '../../api/contract/index.ts'
import { type PatchHeader, patchFileName } from '../patch-files/index.ts'
import { type ReportRow, type RowChange, rowOf } from './report-row.ts'

/** The patch of one row in a report folder. */
export interface ReportPatch {
  /** Below the report folder: `patches/T5-src-cart-ts.patch`. */
  readonly file: string
  /** What stands above its diff. */
  readonly header: PatchHeader
  /** How many files it changes. */
  readonly files: number
  readonly insertions: number
  readonly deletions: number
  /** Of its diff. */
  readonly bytes: number
}

export const patchFolder = 'patches'

/** The patches of a batch, without the work of the rest of its report: most tasks of a large batch may have none. */
export function patchesOfBatch({ tasks, now }: BatchReportView): readonly ReportPatch[] {
  const changed = tasks.filter(({ all_runs }) => all_runs.some(({ change }) => change !== null))
  return listPatches(changed.map((task) => rowOf(task, Date.parse(now))))
}

/** An attempt that was put to review is done once that has approved it. */
function outcomeOf({ end }: ReportRow, { outcome }: RowChange): string {
  return outcome === 'review' && end === 'done' ? 'done' : (outcome ?? 'running')
}

/** The patches that belong to a report: of each row the change that its newest recorded attempt left, where there is one. */
export function listPatches(rows: readonly ReportRow[]): readonly ReportPatch[] {
  return rows.flatMap((row) => {
    const { id, key, title, change } = row
    if (change === null || change.patch_bytes === null) return []
    return [
      {
        file: `${patchFolder}/${patchFileName({ task: id, key: key === `T${id}` ? title : key })}`,
        header: {
          task: id,
          run: change.run,
          key,
          title,
          repo: change.repo,
          branch: change.branch,
          baseRef: change.base_ref,
          baseCommit: change.base_commit,
          headCommit: change.head_commit,
          outcome: outcomeOf(row, change),
          checked: change.checked,
          bytes: change.patch_bytes,
        },
        files: change.file_count,
        insertions: change.insertions,
        deletions: change.deletions,
        bytes: change.patch_bytes,
      },
    ]
  })
}
