import type { TaskId } from '../../kernel/index.ts'
import { isSettled } from '../status.ts'
import type { StoredTask } from '../stored-task.ts'
import type { Work } from '../work.ts'
import { getTask } from './get-task.ts'
import { lookAgain } from './look-again.ts'
import { moveRefused } from './move-task.ts'
import { cancel, wish } from './people.ts'

/** Not running: settled at once. Running: a wish, which ends the attempt first. A second time changes nothing. */
export function cancelTask(work: Work, id: TaskId): StoredTask {
  const task = getTask(work, id)
  if (task.status === 'cancelled') return task
  if (task.openRun !== null) return wish(work, task, 'cancel', null)
  if (isSettled(task.status)) throw moveRefused(work, task, 'cancelled')
  const cancelled = cancel(work, task, 'by_person', `cancelled by ${work.by}`)
  lookAgain(work, [cancelled])
  return cancelled
}
