import { formatRunId, formatTaskId } from '../../kernel/index.ts'
import type { Settled } from '../run-steps.ts'
import type { StoredTask } from '../stored-task.ts'
import type { Work } from '../work.ts'
import { getTask } from './get-task.ts'
import { exitRun, recordSettled } from './runs.ts'

/**
 * A person lets a card go although its run may be alive: the one exception to "never two workers on one task" (design P1).
 * A run without an outcome gets `unknown`; one that had ended keeps its own. Undefined when it was settled before.
 */
export function releaseRun(work: Work, settled: Settled): StoredTask | undefined {
  const run = work.store.readRun(settled.run)
  if (run === undefined || run.phase === 'settled') return undefined
  const { id, board, batch } = getTask(work, run.task)
  if (work.store.releaseRun({ run: run.id, by: work.by }) === 0) return undefined
  const reason = `${work.by} let the task go although ${formatRunId(run.id)} may be alive`
  if (run.outcome === null) {
    const nothing = { exitCode: null, signal: null, outputTail: null, result: null, data: null, usage: null }
    exitRun(work, { run: run.id, fence: run.fence, outcome: 'unknown', reason, stopDelivered: false, ...nothing })
    work.store.clearProbe({ run: run.id })
  }
  const data = { attempt: run.attempt, outcome: run.outcome ?? 'unknown' }
  work.tell({ kind: 'run.released', task: id, run: run.id, board, batch, text: `${formatTaskId(id)}: ${reason}`, data })
  recordSettled(work, [settled])
  return getTask(work, id)
}
