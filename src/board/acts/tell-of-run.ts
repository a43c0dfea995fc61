import { formatRunId, formatTaskId, type RunId } from '../../kernel/index.ts'
import type { Run } from '../run.ts'
import type { StoredTask } from '../stored-task.ts'
import type { NewEvent, Work } from '../work.ts'
import { getTask } from './get-task.ts'

export interface RunAndTask {
  readonly run: Run
  readonly task: StoredTask
}

/** Tells an event about an attempt, with its card named first and the attempt in its data. */
export function tellOfRun(
  work: Work,
  { run, task }: RunAndTask,
  kind: NewEvent['kind'],
  says: string,
  data: Readonly<Record<string, unknown>> = {},
): void {
  const { board, batch } = task
  const text = `${formatTaskId(task.id)} ${says}`
  work.tell({ kind, task: task.id, run: run.id, board, batch, text, data: { attempt: run.attempt, ...data } })
}

/** As they stand after the change of the run's row; read once for all that follows in the step. */
export function runAndTask(work: Work, id: RunId): RunAndTask {
  const run = work.store.readRun(id)
  if (run === undefined) throw new Error(`${formatRunId(id)} vanished`)
  return { run, task: getTask(work, run.task) }
}
