import { formatTaskId, type TaskId } from '../../kernel/index.ts'
import { boardError } from '../errors.ts'
import { isSettled } from '../status.ts'
import type { StoredTask } from '../stored-task.ts'
import type { NewEvent, Work } from '../work.ts'
import { getTask } from './get-task.ts'
import { moveRefused, moveTask, type TaskChange } from './move-task.ts'

// What a person asks of one card. A second, equal wish is harmless: it answers the card as it stands.

/** A draft may start. */
export function readyTask(work: Work, id: TaskId): StoredTask {
  const task = getTask(work, id)
  if (task.status === 'todo' || task.status === 'ready') return task
  if (task.status !== 'triage') throw moveRefused(work, task, 'made ready')
  return moveTask(work, task, { to: openStatus(task), by: 'person' }, say(task, 'task.ready', 'may start'))
}

export function blockTask(work: Work, id: TaskId, text: string): StoredTask {
  const task = getTask(work, id)
  if (task.openRun !== null) throw boardError('BOARD_TASK_RUNNING', { task: id, run: task.openRun, act: 'blocked' })
  if (isSettled(task.status)) throw moveRefused(work, task, 'blocked')
  return block(work, task, 'by_person', text)
}

export function unblockTask(work: Work, id: TaskId): StoredTask {
  const task = getTask(work, id)
  if (task.status !== 'blocked') throw moveRefused(work, task, 'unblocked')
  return reopen(work, task, 'where_it_was', say(task, 'task.unblocked', `was unblocked by ${work.by}`))
}

/** Again, with counters at 0; one that only waits for its time goes now, counters as they are. `text` becomes a remark, which the next attempt reads. */
export function retryTask(work: Work, id: TaskId, text: string | null): StoredTask {
  const task = getTask(work, id)
  if (task.openRun !== null) throw boardError('BOARD_TASK_RUNNING', { task: id, run: task.openRun, act: 'retried' })
  // It waits for its next attempt already: the wait is what the person ends.
  const isWaitingForATime = task.status === 'ready' && task.notBeforeMs !== null
  if (!isSettled(task.status) && task.status !== 'blocked' && !isWaitingForATime)
    throw moveRefused(work, task, 'retried')
  if (text !== null) comment(work, task, text)
  const data = task.status === 'done' ? { doneChildren: doneChildren(work, id) } : {}
  const says = `is tried again, by ${work.by}${text === null ? '' : `: ${text}`}`
  const event = say(task, 'task.retried', says, data)
  // Whatever asks so after every end, failures and caps are still counted (C61): it had not ended for good.
  if (isWaitingForATime) return moveTask(work, task, { to: 'ready', by: 'person', notBeforeMs: null }, event)
  return reopen(work, task, 'author', event)
}

/** Cards that were done on the strength of this one and stay so. */
function doneChildren(work: Work, id: TaskId): readonly TaskId[] {
  const links = work.store.childrenOf(id).filter((link) => link.when === 'done')
  return links.map((link) => link.task).filter((child) => work.store.readTask(child)?.status === 'done')
}

/** Running: a wish. Waiting: blocked with who and why. Nothing is left to stop of a card that has ended. */
export function stopTask(work: Work, id: TaskId, text: string | null): StoredTask {
  const task = getTask(work, id)
  if (task.openRun !== null) return wish(work, task, 'stop', text)
  if (isSettled(task.status) || task.status === 'blocked') return task
  return block(work, task, 'stopped', stoppedText(work.by, text))
}

/** Why a card was cancelled with its batch: a resume of the batch takes exactly these up again. */
export const batchCancelled = { code: 'batch_cancelled', text: 'its batch was cancelled' } as const

export const stoppedText = (by: string, text: string | null): string =>
  text === null ? `stopped by ${by}` : `stopped by ${by}: ${text}`

export function comment(work: Work, task: StoredTask, text: string): void {
  work.store.insertComment({ task: task.id, nowMs: work.nowMs, by: work.by, text })
  const { id, board, batch } = task
  work.tell({ task: id, board, batch, ...say(task, 'task.commented', `has a remark of ${work.by}`) })
}

/** Cancels a card that is not running. */
export function cancel(work: Work, task: StoredTask, holdCode: string, holdText: string): StoredTask {
  const change = { to: 'cancelled', by: 'person', holdCode, holdText, holdBy: work.by, notBeforeMs: null } as const
  return moveTask(work, task, change, say(task, 'task.cancelled', `was cancelled: ${holdText}`))
}

function block(work: Work, task: StoredTask, holdCode: string, holdText: string): StoredTask {
  const change = { to: 'blocked', by: 'person', holdCode, holdText, holdBy: work.by } as const
  return moveTask(work, task, change, say(task, 'task.blocked', `needs a person: ${holdText}`, { code: holdCode }))
}

/**
 * Opens a card that was settled or blocked, with everything that counts against it at 0: for another attempt of its author,
 * or where it was, which is under review for one that was blocked from there.
 */
export function reopen(
  work: Work,
  task: StoredTask,
  at: 'author' | 'where_it_was',
  event: Pick<NewEvent, 'kind' | 'text' | 'data'>,
): StoredTask {
  if (isSettled(task.status)) refuseTakenKey(work, task)
  const change: TaskChange = {
    to: task.fromReview && at === 'where_it_was' ? 'review' : openStatus(task),
    by: 'person',
    failures: 0,
    tempfails: 0,
    reviewFailures: 0,
    rejections: 0,
    resetRun: work.store.lastRunOf(task.id)?.id ?? 0,
    holdCode: null,
    holdText: null,
    holdBy: null,
    // A time that was asked for stands until the first attempt; afterwards it is only a back-off.
    notBeforeMs: task.runs === 0 ? task.notBeforeMs : null,
  }
  return moveTask(work, task, change, event)
}

function refuseTakenKey(work: Work, task: StoredTask): void {
  if (task.key === null) return
  const holder = work.store.findOpenKey({ board: task.board, key: task.key })
  if (holder === undefined) return
  const { id, status } = holder
  throw boardError('BOARD_KEY_TAKEN', { task: task.id, key: task.key, holder: id, status })
}

/** A wish to cancel overrules one to stop, never the other way round. */
export function wish(work: Work, task: StoredTask, kind: 'stop' | 'cancel', text: string | null): StoredTask {
  if (task.wish === kind || task.wish === 'cancel') return task
  const says = `${kind === 'stop' ? 'is to be stopped' : 'is to be cancelled'}, says ${work.by}`
  const why = text === null ? '' : `: ${text}`
  const change = { to: 'running', by: 'person', wish: kind, wishBy: work.by, wishText: text } as const
  return moveTask(work, task, change, say(task, 'task.wished', `${says}${why}`, { wish: kind, text }))
}

export const openStatus = (task: StoredTask): 'todo' | 'ready' => (task.openNeeds > 0 ? 'todo' : 'ready')

/** The event of an act, with the card named first. */
export function say(
  { id }: StoredTask,
  kind: NewEvent['kind'],
  text: string,
  data: Readonly<Record<string, unknown>> = {},
): Pick<NewEvent, 'kind' | 'text' | 'data'> {
  return { kind, text: `${formatTaskId(id)} ${text}`, data }
}
