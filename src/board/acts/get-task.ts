import type { TaskId } from '../../kernel/index.ts'
import { boardError } from '../errors.ts'
import type { StoredTask } from '../stored-task.ts'
import type { Work } from '../work.ts'

/** The card, or `BOARD_NO_TASK`. */
export function getTask({ store }: Pick<Work, 'store'>, id: TaskId): StoredTask {
  const task = store.readTask(id)
  if (task === undefined) throw boardError('BOARD_NO_TASK', { task: id })
  return task
}
