import { assertNever, briefly, formatRunId, formatTaskId } from '../../kernel/index.ts'
import { applyWish } from '../apply-wish.ts'
import type { Run } from '../run.ts'
import { type Move, mostRejections } from '../run-steps.ts'
import type { StoredTask } from '../stored-task.ts'
import type { TaskSpec } from '../task.ts'
import type { NewEvent, Work } from '../work.ts'
import { rewriteTask } from './edit-task.ts'
import { moveTask, type TaskChange } from './move-task.ts'
import { batchCancelled, openStatus } from './people.ts'

/** A card and the attempt at it that is over. */
export interface Ending {
  readonly task: StoredTask
  readonly run: Pick<Run, 'id' | 'lane' | 'claimedFrom'>
}

/**
 * Moves a card whose run has ended, with a person's wish applied and an edit that waited for the end taken over. What a
 * reviewer's attempt comes to counts for nothing of the author's.
 */
export function settleTask(work: Work, ending: Ending, asked: Move, failures: 0 | 1): StoredTask {
  const { task } = ending
  const said = readMove(ending, asked, failures)
  if (said.to === 'rejected') keepVerdict(work, ending, said.text)
  const wish = task.wish === null ? null : { kind: task.wish, by: task.wishBy ?? '', text: task.wishText }
  const move = inBrief(applyWish(endLoop(ending, said), wish))
  const change: TaskChange = {
    ...countFor(ending, { said, move, failures }),
    ...changeFor(task, move, wish?.by ?? work.by),
    // What it asked for is the author's to do, whatever keeps that one from it.
    ...(said.to === 'rejected' ? { reviewLane: null, fromReview: false, reviewFailures: 0 } : {}),
  }
  const moved = moveTask(work, task, change, sayMove(ending, move))
  if (said.to === 'approved' && said.text !== '') keepVerdict(work, ending, said.text)
  return takeOverEdit(work, moved)
}

/** The verdict of a review is its reviewer's alone, and a reviewer has nothing else to say of the work. */
function readMove({ task, run }: Ending, asked: Move, failures: 0 | 1): Move {
  if (run.claimedFrom === 'ready') {
    if (asked.to !== 'approved' && asked.to !== 'rejected') return asked
    throw new Error(`${formatRunId(run.id)} did the work of ${formatTaskId(task.id)} and cannot give a verdict on it`)
  }
  const again = { to: 'review', lane: task.reviewLane } as const
  switch (asked.to) {
    case 'back':
      return { ...again, text: asked.text, notBeforeMs: asked.notBeforeMs, counts: failures }
    case 'done':
      return { ...again, text: 'the review ended without a verdict', counts: 1 }
    case 'failed':
      return { ...asked, to: 'blocked' }
    default:
      return asked
  }
}

/** Author and reviewer that do not come together are a person's. */
function endLoop({ task, run }: Ending, move: Move): Move {
  if (move.to !== 'rejected' || task.rejections + 1 < mostRejections) return move
  const text = `lane ${run.lane} asked for changes ${mostRejections} times; the last: ${move.text}`
  return { to: 'blocked', code: 'review_loop', text }
}

function keepVerdict(work: Work, { task, run }: Ending, text: string): void {
  work.store.insertComment({ task: task.id, nowMs: work.nowMs, by: formatRunId(run.id), text })
}

/** What it asked for may have 64 KiB, which stand in its call; the card and the events say the beginning. */
function inBrief(move: Move): Move {
  return move.to === 'done' ? move : { ...move, text: briefly(move.text) }
}

function countFor(
  { task, run }: Ending,
  { said, move, failures }: { readonly said: Move; readonly move: Move; readonly failures: 0 | 1 },
): Partial<TaskChange> {
  if (move.to === 'done' || move.to === 'approved') {
    return { failures: 0, tempfails: 0, rejections: 0, resetRun: task.openRun ?? task.resetRun }
  }
  if (run.claimedFrom === 'ready') return { failures: task.failures + failures, reviewFailures: 0 }
  const rejections = task.rejections + (said.to === 'rejected' ? 1 : 0)
  // What goes on elsewhere than under review begins with none.
  if (move.to !== 'review' && move.to !== 'blocked') return { rejections }
  const counts = said.to === 'review' ? (said.counts ?? failures) : failures
  return { reviewFailures: task.reviewFailures + counts, rejections }
}

function changeFor(task: StoredTask, move: Move, by: string): TaskChange {
  const none = { by: 'end', notBeforeMs: null, holdCode: null, holdText: null, holdBy: null } as const
  switch (move.to) {
    case 'done':
    case 'approved':
      return { ...none, to: 'done' }
    case 'failed':
      return { ...none, to: 'failed', holdCode: move.code, holdText: move.text }
    case 'cancelled': {
      const isWithBatch = task.wish === 'cancel' && task.wishText === batchCancelled.text
      const holdCode = isWithBatch ? batchCancelled.code : 'by_person'
      return { ...none, to: 'cancelled', holdCode, holdText: move.text, holdBy: by }
    }
    case 'blocked':
      return { ...none, to: 'blocked', holdCode: move.code, holdText: move.text, holdBy: by }
    case 'review': {
      const { text, lane: reviewLane = null, notBeforeMs = null } = move
      return { ...none, to: 'review', reviewLane, notBeforeMs, holdCode: 'review', holdText: text }
    }
    case 'rejected':
      return { ...none, to: openStatus(task) }
    case 'back':
      return { ...none, to: openStatus(task), holdCode: move.code, holdText: move.text, notBeforeMs: move.notBeforeMs }
    default:
      return assertNever(move)
  }
}

function sayMove({ task, run }: Ending, move: Move): Pick<NewEvent, 'kind' | 'text' | 'data'> {
  const name = formatTaskId(task.id)
  const reviewer = `lane ${run.lane} (${formatRunId(run.id)})`
  switch (move.to) {
    case 'done':
      return { kind: 'task.done', text: `${name} done` }
    case 'approved': {
      const why = move.text === '' ? '' : `: ${move.text}`
      return { kind: 'task.approved', text: `${name} done: approved by ${reviewer}${why}`, data: { lane: run.lane } }
    }
    case 'rejected': {
      const text = `${name} goes back: ${reviewer} wants changes: ${move.text}`
      return { kind: 'task.rejected', text, data: { lane: run.lane } }
    }
    case 'failed':
      return { kind: 'task.failed', text: `${name} failed: ${move.text}`, data: { code: move.code } }
    case 'cancelled':
      return { kind: 'task.cancelled', text: `${name} was cancelled: ${move.text}` }
    case 'blocked':
      return { kind: 'task.blocked', text: `${name} needs a person: ${move.text}`, data: { code: move.code } }
    case 'review': {
      const { lane = null, notBeforeMs = null, text } = move
      if (lane === null) return { kind: 'task.review', text: `${name} waits for review: ${text}` }
      return {
        kind: 'task.review',
        text: `${name} waits for review by lane ${lane}: ${text}`,
        data: { lane, notBeforeMs },
      }
    }
    case 'back': {
      const { code, notBeforeMs } = move
      return { kind: 'task.requeued', text: `${name} goes back: ${move.text}`, data: { code, notBeforeMs } }
    }
    default:
      return assertNever(move)
  }
}

/** What an edited file said of a card while it ran. */
export interface PendingEdit {
  readonly spec: TaskSpec
  readonly lane: string
  readonly priority: number
  readonly digest: string
}

function takeOverEdit(work: Work, task: StoredTask): StoredTask {
  const text = work.store.readPendingEdit(task.id)
  if (text === undefined) return task
  work.store.deletePendingEdit({ task: task.id })
  // It was done with the old text: the next submit lists it as changed since.
  if (task.status === 'done') return task
  const { id, board, batch } = task
  work.tell({ kind: 'task.edited', task: id, board, batch, text: `${formatTaskId(id)} takes the edited text` })
  return rewriteTask(work, task, JSON.parse(text) as PendingEdit)
}
