import type { TaskId } from '../../kernel/index.ts'
import { boardError } from '../errors.ts'
import type { StoredTask } from '../stored-task.ts'
import type { Work } from '../work.ts'
import { getTask } from './get-task.ts'
import { lookAgain } from './look-again.ts'
import { moveRefused, moveTask, type TaskChange } from './move-task.ts'
import { comment, openStatus, reopen, say } from './people.ts'

// What a person says to what an attempt asked for: the answer to a question, the verdict of a review. An attempt never
// says it to itself: with its token it can call nothing of this.

/** Lets a card go on whose run asked for something; the text is a remark that the next attempt reads. */
export function answerTask(work: Work, id: TaskId, text: string): StoredTask {
  const task = getTask(work, id)
  if (task.status !== 'blocked') throw moveRefused(work, task, 'answered')
  const run = work.store.lastRunOf(id)
  // Without a call it asked by its report: the board could not be reached.
  if (run?.outcome !== 'blocked' || (run.call !== null && run.call.kind !== 'block')) {
    throw boardError('BOARD_NOT_ASKED', { task: id, why: task.holdText ?? '' })
  }
  comment(work, task, text)
  return reopen(work, task, 'where_it_was', say(task, 'task.unblocked', `was answered by ${work.by}`))
}

/** The work is good as it is. */
export function approveTask(work: Work, id: TaskId, text: string | null): StoredTask {
  const task = getTask(work, id)
  if (task.status !== 'review') throw moveRefused(work, task, 'approved')
  if (text !== null) comment(work, task, text)
  const change: TaskChange = {
    ...reviewed,
    to: 'done',
    failures: 0,
    tempfails: 0,
    rejections: 0,
    resetRun: work.store.lastRunOf(id)?.id ?? task.resetRun,
  }
  const approved = moveTask(work, task, change, say(task, 'task.approved', `done: approved by ${work.by}`))
  lookAgain(work, [approved])
  return approved
}

/** Another attempt, which reads what is to change. Nothing that counts against the card is forgotten. */
export function rejectTask(work: Work, id: TaskId, text: string): StoredTask {
  const task = getTask(work, id)
  if (task.status !== 'review') throw moveRefused(work, task, 'rejected')
  comment(work, task, text)
  const change: TaskChange = { ...reviewed, to: openStatus(task), notBeforeMs: null }
  return moveTask(work, task, change, say(task, 'task.rejected', `goes back: ${work.by} wants changes`))
}

const reviewed = { by: 'person', holdCode: null, holdText: null, holdBy: null } as const
