import { formatBatchId, formatTaskId } from '../../kernel/index.ts'
import { boardError } from '../errors.ts'
import { type Act, isLawful, type MoveBy, movesFrom } from '../moves.ts'
import { isSettled, type TaskStatus } from '../status.ts'
import type { StoredTask } from '../stored-task.ts'
import type { NewEvent, Work } from '../work.ts'
import { isSatisfied } from './is-satisfied.ts'
import { placeTask, queueLane } from './place-task.ts'

/** What changes of a card besides where it stands; absent stays as it is. */
export type TaskChange = { readonly to: TaskStatus; readonly by: MoveBy } & Partial<
  Pick<
    StoredTask,
    | 'openNeeds'
    | 'openRun'
    | 'failures'
    | 'tempfails'
    | 'runs'
    | 'resetRun'
    | 'notBeforeMs'
    | 'holdCode'
    | 'holdText'
    | 'holdBy'
    | 'wish'
    | 'wishBy'
    | 'wishText'
    | 'canary'
    | 'reviewLane'
    | 'fromReview'
    | 'reviewFailures'
    | 'rejections'
  >
>

/**
 * The one place where a card changes status. Held to the table of moves, compare-and-set on status and open run;
 * cards that need this one are let go or held again, and a batch that had ended goes on when something of it may start.
 * The event is told before those of the cards that follow.
 */
export function moveTask(
  work: Work,
  task: StoredTask,
  { to, by, ...changes }: TaskChange,
  event?: Pick<NewEvent, 'kind' | 'text' | 'data'>,
): StoredTask {
  const openNeeds = changes.openNeeds ?? task.openNeeds
  if (to !== task.status && !isLawful({ from: task.status, to, by, openNeeds })) {
    throw moveRefused(work, task, `made ${to}`)
  }
  const left = to === 'running' ? {} : { openRun: null, wish: null, wishBy: null, wishText: null }
  const moved: StoredTask = {
    ...task,
    ...left,
    ...reviewAfter(task, to),
    ...changes,
    status: to,
    changedAtMs: work.nowMs,
    settledAtMs: isSettled(to) ? (task.settledAtMs ?? work.nowMs) : null,
    ...(isSettled(to) ? {} : { archivedAtMs: null, archivedBy: null }),
  }
  const next = { ...moved, queueGroup: queueAfter(work, task, moved) }
  const { id, status, openRun } = task
  const written = work.store.moveTask({
    ...columns(next),
    task: id,
    fromStatus: status,
    fromRun: openRun,
    nowMs: work.nowMs,
  })
  if (written !== 1) throw new Error(`${formatTaskId(id)} does not stand at ${status} any more`)
  if (event !== undefined) {
    work.tell({
      task: id,
      board: task.board,
      batch: task.batch,
      ...(openRun === null ? {} : { run: openRun }),
      ...event,
    })
  }
  if (task.archivedAtMs !== null && next.archivedAtMs === null) {
    const text = `${formatTaskId(id)} is back in the lists, because it goes on`
    work.tell({ kind: 'task.unarchived', task: id, board: task.board, batch: task.batch, text })
  }
  if (to !== status) {
    passOnToChildren(work, task, next)
    if (!isSettled(to) && to !== 'blocked') reopenBatch(work, next)
  }
  return next
}

/** What is kept of a review: it goes on through attempts of the reviewer, and through a block. */
function reviewAfter(task: StoredTask, to: TaskStatus): Partial<StoredTask> {
  const isUnder = task.status === 'review' || task.fromReview || (task.status === 'running' && task.reviewLane !== null)
  if (to === 'review' || to === 'running') return { fromReview: false }
  if (to === 'blocked' && isUnder) return { fromReview: true }
  return { reviewLane: null, fromReview: false, reviewFailures: 0 }
}

/** A card waits in the queue of one lane: its own, or the reviewer's while it waits for that. */
function queueAfter(work: Work, before: StoredTask, { folder, ...after }: StoredTask): number {
  const lane = queueLane(after)
  if (lane === queueLane(before)) return before.queueGroup
  return placeTask(work, { board: after.board, batch: after.batch, lane, folder }).queueGroup
}

/** The error for an act that the table does not allow where the card stands; one that runs is told with its live attempt (C1). */
export function moveRefused({ store }: Pick<Work, 'store'>, task: StoredTask, act: string): Error {
  if (task.openRun !== null) return boardError('BOARD_TASK_RUNNING', { task: task.id, run: task.openRun, act })
  const last = task.status === 'blocked' ? store.lastRunOf(task.id) : undefined
  const asks = last?.outcome === 'blocked' && last.call?.kind === 'block'
  const name = formatTaskId(task.id)
  const may = [
    ...(asks ? [`answer ${name} "…"`] : []),
    ...movesFrom(task.status).map((verb) => `${verb} ${name}${takesText.has(verb) ? ' "…"' : ''}`),
  ]
    .map((line) => `yardmaster ${line}`)
    .join(' · ')
  return boardError('BOARD_MOVE_REFUSED', { task: task.id, status: task.status, act, may })
}

/** Verbs that are nothing without a text of the person. */
const takesText = new Set<Act>(['reject', 'block'])

function columns(task: StoredTask) {
  const { openNeeds, openRun, failures, tempfails, runs, resetRun, notBeforeMs, settledAtMs, status } = task
  const { holdCode, holdText, holdBy, wish, wishBy, wishText, archivedAtMs, archivedBy } = task
  const { queueGroup, reviewLane, reviewFailures, rejections } = task
  const counts = { openNeeds, openRun, failures, tempfails, runs, resetRun, notBeforeMs, settledAtMs, status }
  return {
    ...counts,
    holdCode,
    holdText,
    holdBy,
    wish,
    wishBy,
    wishText,
    archivedAtMs,
    archivedBy,
    canary: task.canary ? 1 : 0,
    queueGroup,
    reviewLane,
    fromReview: task.fromReview ? 1 : 0,
    reviewFailures,
    rejections,
  } as const
}

function passOnToChildren(work: Work, before: StoredTask, after: StoredTask): void {
  if (isSettled(before.status) === isSettled(after.status) && before.status !== 'done' && after.status !== 'done')
    return
  for (const link of work.store.childrenOf(after.id)) {
    const was = isSatisfied(before.status, link.when)
    const is = isSatisfied(after.status, link.when)
    if (was === is) continue
    const child = work.store.readTask(link.task)
    if (child !== undefined) setOpenNeeds(work, child, child.openNeeds + (is ? -1 : 1), formatTaskId(after.id))
  }
}

/** Open needs of a card as they are now; waiting cards become ready with the last one, ready ones wait with the first. */
export function setOpenNeeds(work: Work, task: StoredTask, openNeeds: number, because: string): StoredTask {
  if (openNeeds === task.openNeeds) return task
  const starts = task.status === 'todo' && openNeeds === 0
  const waits = task.status === 'ready' && openNeeds > 0
  const to = starts ? 'ready' : waits ? 'todo' : task.status
  const name = formatTaskId(task.id)
  const event = starts
    ? ({ kind: 'task.ready', text: `${name} may start after ${because}` } as const)
    : ({ kind: 'task.waiting', text: `${name} waits for ${because}` } as const)
  return moveTask(work, task, { to, by: 'needs', openNeeds }, starts || waits ? event : undefined)
}

function reopenBatch(work: Work, { batch, board, id }: StoredTask): void {
  if (batch === null || work.store.reopenBatch({ batch }) === 0) return
  work.tell({
    kind: 'batch.resumed',
    batch,
    board,
    text: `${formatBatchId(batch)} goes on, because ${formatTaskId(id)} does`,
  })
}
