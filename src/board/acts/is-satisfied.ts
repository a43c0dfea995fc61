import { isSettled, type TaskStatus } from '../status.ts'
import type { Need } from '../task.ts'

/** Whether a need is met by a card that stands there: `done` by done only, `always` by any end. */
export function isSatisfied(status: TaskStatus, when: Need['when']): boolean {
  return when === 'always' ? isSettled(status) : status === 'done'
}
