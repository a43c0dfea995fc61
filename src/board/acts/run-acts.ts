import { formatTaskId } from '../../kernel/index.ts'
import { boardError } from '../errors.ts'
import { type CallAnswer, type Caller, mostActs, mostRefusals, type RunAct } from '../run-calls.ts'
import type { Work } from '../work.ts'
import { getTask } from './get-task.ts'
import { openRun, tellLate } from './run-calls.ts'

// What a run does besides its own task, and what it wanted to do and may not: on record with the run as who did it.

export function recordAct(work: Work, caller: Caller, { act, text, data = {} }: RunAct): CallAnswer {
  const run = openRun(work, caller)
  if (run === undefined) return tellLate(work, caller, act)
  const told = work.store.actsOfRun({ task: run.task, run: run.id, act, limit: mostActs[act] })
  if (told.length >= mostActs[act]) throw boardError('BOARD_TOO_MANY_ACTS', { run: run.id, act, most: mostActs[act] })
  const { board, batch } = getTask(work, run.task)
  const says = `${formatTaskId(run.task)} attempt ${run.attempt} ${text}`
  work.tell({ kind: 'run.acted', task: run.task, run: run.id, board, batch, text: says, data: { ...data, act } })
  return { kind: 'recorded' }
}

export function recordRefusal(
  work: Work,
  caller: Caller,
  { act, why }: { readonly act: string; readonly why: string },
): void {
  const run = openRun(work, caller)
  if (run === undefined) return
  const { length: refusals } = work.store.refusalsOfRun({ task: run.task, run: run.id, limit: mostRefusals })
  if (refusals >= mostRefusals) return
  const { board, batch } = getTask(work, run.task)
  const last = refusals === mostRefusals - 1 ? '; what follows is not told' : ''
  const text = `${formatTaskId(run.task)} attempt ${run.attempt} was refused: ${act}: ${why}${last}`
  work.tell({ kind: 'run.refused', task: run.task, run: run.id, board, batch, text, data: { act, why } })
}
