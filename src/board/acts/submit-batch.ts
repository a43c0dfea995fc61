import { batchId, formatBatchId } from '../../kernel/index.ts'
import { boardError } from '../errors.ts'
import type { NewBatch, SubmittedBatch } from '../new-tasks.ts'
import { isSettled } from '../status.ts'
import type { StoredBatch } from '../stored-batch.ts'
import type { StoredTask } from '../stored-task.ts'
import { whichBatch } from '../which-batch.ts'
import type { Work } from '../work.ts'
import { countEnds, getBatch, lookAtBatch } from './batches.ts'
import { checkName } from './check-new-task.ts'
import { checkRowKeys, ensureBoard, insertTasks } from './create-tasks.ts'
import { batchCancelled, reopen, say } from './people.ts'
import { reconcileRows } from './reconcile-rows.ts'

/**
 * Takes a batch file: finds out which batch it is, then makes it or brings the one that exists in line with the file.
 * All of it or nothing. A finished batch of the same key is answered untouched.
 */
export function submitBatch(
  work: Work,
  { board, batch: file }: { readonly board: string; readonly batch: NewBatch },
): SubmittedBatch {
  checkName('board', board)
  checkFile(file)
  const { name, key } = file
  const which = whichBatch(file, {
    sameKey: key === undefined ? undefined : work.store.findBatchByKey({ board, name, key }),
    lastOfFile: work.store.findLastKeylessBatch({ board, name, file: file.file }),
    lastOfName: work.store.findLastBatch({ board, name }),
  })
  switch (which.kind) {
    case 'finished':
      return answer(work, which.batch, 'finished', [])
    case 'new':
      return answer(work, makeBatch(work, board, file), 'created', [])
    case 'go_on':
      return answer(work, which.batch, 'continued', goOn(work, which.batch, file))
  }
}

function checkFile({ name, tasks, redo }: NewBatch): void {
  if (tasks.length === 0) throw boardError('BOARD_NO_TASKS', { name })
  for (const { rowKey, key, spec } of tasks) {
    if (rowKey === undefined) throw boardError('BOARD_ROW_KEY_MISSING', { title: spec.title })
    if (key !== undefined) throw boardError('BOARD_KEY_IN_BATCH', { key })
  }
  checkRowKeys(tasks)
  const known = new Set(tasks.flatMap((task) => task.rowKey ?? []))
  for (const key of redo) {
    if (!known.has(key)) throw boardError('BOARD_UNKNOWN_ROW', { key, by: '--redo', known: [...known] })
  }
}

function answer(
  work: Work,
  { batch: { id } }: StoredBatch,
  how: SubmittedBatch['how'],
  changedDone: readonly string[],
): SubmittedBatch {
  const tasks = work.store.countBatchTasks({ batch: id }).reduce((sum, row) => sum + row.tasks, 0)
  return { batch: getBatch(work, id).batch, how, changedDone, tasks }
}

function makeBatch(work: Work, board: string, file: NewBatch): StoredBatch {
  ensureBoard(work, board)
  const { name, key = null, limits } = file
  const canary = limits.first === undefined ? 'none' : 'open'
  const id = batchId(
    work.store.insertBatch({ ...texts(file), board, name, key, canary, by: work.by, nowMs: work.nowMs }),
  )
  const stored = getBatch(work, id)
  insertTasks(work, { board, batch: stored.batch, tasks: file.tasks, rows: new Map() })
  const text = `${formatBatchId(id)} ${name}: ${file.tasks.length} tasks`
  work.tell({ kind: 'batch.created', batch: id, board, text, data: { tasks: file.tasks.length } })
  return stored
}

const texts = ({ digest, file, limits, defaults }: NewBatch) => ({
  digest,
  file,
  limits: JSON.stringify(limits),
  defaults: JSON.stringify(defaults),
})

/** Goes on with a batch as its file now says. Answers the row keys that are done and whose text changed since. */
function goOn(work: Work, { batch: { id, board, name } }: StoredBatch, file: NewBatch): readonly string[] {
  work.store.rewriteBatch({ ...texts(file), batch: id })
  const { batch } = getBatch(work, id)
  const before = work.store.batchRows(id)
  const redo = new Set(file.redo)
  const { changedDone } = reconcileRows(work, { batch, file, before, redo })

  for (const row of before) reopenRow(work, row.task, file, redo)
  resume(work, id, file)
  const text = `${formatBatchId(id)} ${name} goes on where it was; what is done stays done.`
  work.tell({ kind: 'batch.resumed', batch: id, board, text, data: { mode: file.mode } })
  // The edited file may have brought a limit that is passed already.
  lookAtBatch(work, id)
  return changedDone
}

/** Rows that the call asks to run again: named by `redo`, failed with `failed`, or cancelled together with their batch. */
function reopenRow(work: Work, { id, rowKey, batch }: StoredTask, { mode }: NewBatch, redo: ReadonlySet<string>): void {
  const task = work.store.readTask(id)
  if (task === undefined || task.batch !== batch || !isSettled(task.status)) return
  const isAsked =
    (rowKey !== null && redo.has(rowKey)) ||
    (mode === 'failed' && task.status === 'failed') ||
    task.holdCode === batchCancelled.code
  if (!isAsked) return
  reopen(work, task, 'author', say(task, 'task.retried', 'runs again'))
}

/** A verdict and a cut were said of how it stood then; `halt` and a canary that was not through begin anew. */
function resume(work: Work, id: StoredBatch['batch']['id'], file: NewBatch): void {
  work.store.reopenBatch({ batch: id })
  const stored = getBatch(work, id)
  const canary = file.limits.first === undefined ? 'none' : stored.canary === 'passed' ? 'passed' : 'open'
  const isAnew = stored.batch.cut !== null || file.mode !== 'auto'
  if (canary === 'open' && (isAnew || stored.canary === 'none')) work.store.forgetCanaries({ batch: id })
  const base = isAnew ? countEnds(work, { ...stored, haltBase: { failed: 0, ended: 0 } }) : stored.haltBase
  work.store.resumeBatch({ batch: id, canary, failed: base.failed, ended: base.ended })
}
