import { briefly, findCycle, formatRunId, formatTaskId, type TaskId } from '../../kernel/index.ts'
import { boardError } from '../errors.ts'
import { isHardStop, type Run, type TerminalCall } from '../run.ts'
import {
  type CallAnswer,
  type Caller,
  isVerdictCode,
  mostLateCallEvents,
  mostRemarks,
  type NewCall,
  sayCall,
} from '../run-calls.ts'
import type { Work } from '../work.ts'
import { getTask } from './get-task.ts'
import { comment } from './people.ts'

// What a run does in its own name. It may speak until it is over; what comes later stands on record and changes nothing.

export function recordHeartbeat(work: Work, caller: Caller): CallAnswer {
  if (work.store.heartbeatRun({ ...caller, nowMs: work.nowMs }) === 1) return { kind: 'recorded' }
  return tellLate(work, caller, 'heartbeat')
}

export function recordRemark(work: Work, caller: Caller, text: string): CallAnswer {
  const run = openRun(work, caller)
  if (run === undefined) return tellLate(work, caller, 'comment')
  const { remarks = 0 } = work.store.countRemarks({ task: run.task, by: work.by }) ?? {}
  if (remarks >= mostRemarks) throw boardError('BOARD_TOO_MANY_REMARKS', { run: run.id, most: mostRemarks })
  comment(work, getTask(work, run.task), text)
  return { kind: 'recorded' }
}

export function recordCall(work: Work, caller: Caller, call: NewCall): CallAnswer {
  const run = openRun(work, caller)
  if (run === undefined) return tellLate(work, caller, call.kind)
  // Its answer may have been lost on the way: who says the same again is told the same.
  if (run.call !== null) return isSame(run.call, call) ? { kind: 'recorded' } : { kind: 'called', before: run.call }
  const { stop } = run
  if (stop !== null && isHardStop(stop.kind)) return { kind: 'stopping', stop }
  if (call.onTask !== null) refuseEndlessWait(work, run.task, call.onTask)
  refuseWrongCall(run, call)
  const { kind, code, text, data, onTask } = call
  work.store.callRun({ ...caller, kind, code, text, data, onTask, nowMs: work.nowMs })
  tellCall(work, run, call)
  return { kind: 'recorded' }
}

/** While its work is not over: what is left of it then says nothing any more, whatever comes after the work. */
export function openRun({ store }: Work, { run: id, fence }: Caller): Run | undefined {
  const run = store.readRun(id)
  if (run?.fence !== fence || run.stage !== 'work' || run.stageOver) return undefined
  return run.phase === 'claimed' || run.phase === 'started' ? run : undefined
}

/** Only a reviewer gives a verdict, and it says nothing else but that it needs a person. */
function refuseWrongCall({ id, claimedFrom }: Run, { kind, code, text }: NewCall): void {
  const isVerdict = kind === 'complete' && isVerdictCode(code)
  if (claimedFrom === 'ready' && isVerdict) throw boardError('BOARD_VERDICT_OF_AUTHOR', { run: id, code })
  if (claimedFrom === 'ready' || kind === 'block') return
  if (!isVerdict) throw boardError('BOARD_VERDICT_MISSING', { run: id, said: kind })
  if (code === 'changes_requested' && text.trim() === '') throw boardError('BOARD_VERDICT_WITHOUT_TEXT', { run: id })
}

const isSame = (before: TerminalCall, { kind, code, text, data, onTask }: NewCall): boolean =>
  before.kind === kind &&
  before.code === code &&
  before.text === text &&
  before.data === data &&
  before.onTask === onTask

/** Waiting for a card that waits for this one, however far away, would never end; for one that is done it never begins. */
function refuseEndlessWait(work: Work, task: TaskId, onTask: TaskId): void {
  const { status } = getTask(work, onTask)
  // The first time it brings the result: that is in the prompt of the attempt that comes next.
  if (status === 'done' && work.store.linksOf(task).includes(onTask))
    throw boardError('BOARD_NEED_MET', { task: onTask })
  const cycle = findWaitCycle(work, task, onTask)
  if (cycle !== undefined) throw boardError('BOARD_NEED_CYCLE', { cycle: cycle.map(formatTaskId) })
}

/** The circle that this link would close, with its first card repeated at the end. */
export function findWaitCycle(
  { store }: Pick<Work, 'store'>,
  task: TaskId,
  onTask: TaskId,
): readonly TaskId[] | undefined {
  return findCycle([task], (node: TaskId) => (node === task ? [...store.linksOf(node), onTask] : store.linksOf(node)))
}

function tellCall(work: Work, run: Run, { kind, code, onTask, text: why }: NewCall): void {
  const { id, board, batch } = getTask(work, run.task)
  const what = onTask === null ? sayCall({ kind, code }) : `it waits for ${formatTaskId(onTask)}`
  const more = (kind === 'complete' && code !== 'changes_requested') || why === '' ? '' : `: ${briefly(why)}`
  const text = `${formatTaskId(id)} attempt ${run.attempt} says that ${what}${more}`
  work.tell({
    kind: 'run.called',
    task: id,
    run: run.id,
    board,
    batch,
    text,
    data: { call: kind, onTask, ...(isVerdictCode(code) ? { verdict: code } : {}) },
  })
}

/** A token that is no run's any more is no error of ours, but somebody may want to know who still speaks. */
export function tellLate(work: Work, { run: id }: Caller, call: string): CallAnswer {
  const run = work.store.readRun(id)
  if (run === undefined) throw boardError('BOARD_NO_RUN', { run: id })
  const { late_calls: calls = 0 } = work.store.countLateCall({ run: id }) ?? {}
  if (calls <= mostLateCallEvents) {
    const { board, batch } = getTask(work, run.task)
    const last = calls === mostLateCallEvents ? '; what follows is only counted' : ''
    const text = `${formatTaskId(run.task)} attempt ${run.attempt} (${formatRunId(id)}) is over and still called: ${call}${last}`
    work.tell({ kind: 'run.late_call', task: run.task, run: id, board, batch, text, data: { call, calls } })
  }
  return { kind: 'over', phase: run.phase }
}
