import type { Board, Run, Task } from '../../board/index.ts'
import { formatRunId, isFields, parseId, taskId } from '../../kernel/index.ts'
import { apiError } from '../errors.ts'

/** A list in `data` that is longer names no tasks. */
const mostNamed = 1_000

/**
 * Refuses the word of an attempt that it is done when it names tasks that are not there: of `created` those that it did not
 * make, of a list `tasks` in `data` those that its board does not have. Throws `API_BAD_TASKS` with all of them.
 */
export function refuseBadTasks(
  { board }: { readonly board: Pick<Board, 'readTask'> },
  { run, own, created, data }: { run: Run; own: Task; created: readonly number[]; data: unknown },
): void {
  const maker = formatRunId(run.id)
  const onBoard = (id: number) => {
    const task = board.readTask(taskId(id))
    return task?.board === own.board ? task : undefined
  }
  const bad = new Map<number, string>()
  for (const id of namedIn(data)) if (onBoard(id) === undefined) bad.set(id, 'there is none')
  for (const id of created) {
    const task = onBoard(id)
    if (task === undefined) bad.set(id, 'there is none')
    else if (task.createdBy !== maker) bad.set(id, 'this attempt did not make it')
  }
  if (bad.size > 0) throw apiError('API_BAD_TASKS', { run: run.id, bad: [...bad] })
}

/** `tasks: [5, "T6", { id: 7 }]`; whatever else stands there names no task. */
function namedIn(data: unknown): readonly number[] {
  if (!isFields(data) || !Array.isArray(data.tasks)) return []
  return data.tasks.slice(0, mostNamed).flatMap((named: unknown) => {
    const one = isFields(named) ? (named.id ?? named.task) : named
    if (typeof one === 'number') return Number.isSafeInteger(one) && one > 0 ? [one] : []
    return typeof one === 'string' && /^t/i.test(one) ? (parseId('T', one) ?? []) : []
  })
}
