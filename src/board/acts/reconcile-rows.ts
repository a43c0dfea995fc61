import { findCycle, formatTaskId, type TaskId } from '../../kernel/index.ts'
import type { Batch } from '../batch.ts'
import { boardError } from '../errors.ts'
import type { NewBatch, NewTask } from '../new-tasks.ts'
import { isSettled } from '../status.ts'
import type { StoredTask } from '../stored-task.ts'
import type { Work } from '../work.ts'
import { checkNeedKeys, insertTasks, resolveNeeds } from './create-tasks.ts'
import { recountNeeds, rewriteTask } from './edit-task.ts'
import { getTask } from './get-task.ts'
import { cancel } from './people.ts'
import { exclusiveFolder, placeTask } from './place-task.ts'
import type { PendingEdit } from './settle-task.ts'
import { specDigest } from './spec-digest.ts'

interface Row {
  readonly task: StoredTask
  readonly digest: string
}

/**
 * Brings the cards of a batch in line with its edited file (files-and-cli section 5): new rows are added; what waits,
 * failed or was cancelled takes the new text; what runs finishes the old and takes the new one if it is not done; what
 * is done stays and is listed. A row that the file no longer has leaves the batch: one that waits is cancelled with
 * that reason, a failed or cancelled one no longer counts against the batch, a running or done one stays.
 */
export function reconcileRows(
  work: Work,
  {
    batch,
    file,
    before,
    redo,
  }: {
    readonly batch: Batch
    readonly file: NewBatch
    readonly before: readonly Row[]
    readonly redo: ReadonlySet<string>
  },
): { readonly changedDone: readonly string[] } {
  const byKey = new Map(before.map((row) => [row.task.rowKey ?? '', row]))
  const asked = new Map(file.tasks.map((task) => [task.rowKey ?? '', task]))
  const known = new Set(asked.keys())
  for (const task of file.tasks) checkNeedKeys(task, known)

  for (const [key, { task }] of byKey) if (!asked.has(key)) dropRow(work, task.id)
  const rows = new Map<string, TaskId>()
  for (const [key, { task }] of byKey) if (asked.has(key)) rows.set(key, task.id)
  const fresh = file.tasks.filter((task) => !byKey.has(task.rowKey ?? ''))
  insertTasks(work, { board: batch.board, batch, tasks: fresh, rows })

  const changedDone: string[] = []
  const relinked: TaskId[] = []
  for (const [key, task] of asked) {
    const row = byKey.get(key)
    if (row === undefined) continue
    const digest = specDigest(task)
    if (digest === row.digest) {
      followDefaults(work, row, task, batch)
    } else if (row.task.status === 'done' && !redo.has(key)) {
      changedDone.push(key)
    } else if (row.task.openRun !== null) {
      keepForLater(work, row.task.id, { spec: task.spec, lane: task.lane, priority: task.priority ?? 0, digest })
    } else {
      takeText(work, row.task.id, task, digest, rows)
      relinked.push(row.task.id)
    }
  }
  refuseCycles(work, relinked)
  return { changedDone }
}

function dropRow(work: Work, row: TaskId): void {
  const task = getTask(work, row)
  if (task.openRun !== null || task.status === 'done') return
  const { id, board, lane, folder } = task
  if (!isSettled(task.status)) cancel(work, task, 'not_in_file', 'it is no longer in the batch file')
  const { queueGroup } = placeTask(work, { board, batch: null, lane, folder })
  work.store.detachTask({ task: id, queueGroup })
}

/** The folder it works in may come from the batch's defaults, which may have changed. */
function followDefaults(work: Work, { task, digest }: Row, { spec }: NewTask, { defaults }: Batch): void {
  if (task.openRun !== null || exclusiveFolder(spec, defaults) === task.folder) return
  const { lane, priority } = task
  rewriteTask(work, getTask(work, task.id), { spec, lane, priority, digest })
}

function keepForLater(work: Work, task: TaskId, edit: PendingEdit): void {
  work.store.insertPendingEdit({ task, edit: JSON.stringify(edit) })
}

function takeText(
  work: Work,
  row: TaskId,
  { spec, lane, priority = 0, ...asked }: NewTask,
  digest: string,
  rows: ReadonlyMap<string, TaskId>,
): void {
  const task = rewriteTask(work, getTask(work, row), { spec, lane, priority, digest })
  work.store.deleteNeeds({ task: task.id })
  for (const need of resolveNeeds({ spec, lane, ...asked }, rows)) {
    work.store.insertNeed({ task: task.id, onTask: need.task, onEnd: need.when })
  }
  recountNeeds(work, task)
  const { id, board, batch } = task
  work.tell({ kind: 'task.edited', task: id, board, batch, text: `${formatTaskId(id)} takes the edited text` })
}

/** Links to cards outside the file could close a circle through them. Nothing of this call is written then. */
function refuseCycles(work: Work, starts: readonly TaskId[]): void {
  const cycle = findCycle(starts, (node: TaskId) => work.store.linksOf(node))
  if (cycle !== undefined) throw boardError('BOARD_NEED_CYCLE', { cycle: cycle.map(formatTaskId) })
}
