import { assertNever, briefly, formatTaskId, type RunId } from '../../kernel/index.ts'
import { applyWish } from '../apply-wish.ts'
import type { StopReason } from '../run.ts'
import type { Exited, Move, Settled } from '../run-steps.ts'
import type { StoredTask } from '../stored-task.ts'
import type { TaskSpec } from '../task.ts'
import type { NewEvent, Work } from '../work.ts'
import { lookAtBatch } from './batches.ts'
import { recountNeeds, rewriteTask } from './edit-task.ts'
import { moveTask, type TaskChange } from './move-task.ts'
import { batchCancelled } from './people.ts'
import { findWaitCycle } from './run-calls.ts'
import { type RunAndTask, runAndTask, tellOfRun } from './tell-of-run.ts'

// What the dispatcher records of its runs. Everything is compare-and-set on the run's fence and phase.

/** False when it has a reason already or is over: the first reason wins. */
export function recordStop(work: Work, run: RunId, { kind, by, text }: Omit<StopReason, 'atMs'>): boolean {
  if (work.store.stopRun({ run, kind, by, text, nowMs: work.nowMs }) === 0) return false
  const of = runAndTask(work, run)
  tellOfRun(work, of, 'run.stopping', `attempt ${of.run.attempt} is being ended: ${text}`, { kind, by })
  return true
}

/** What came of the signals of a rung. */
export function recordSignalled(
  work: Work,
  {
    run,
    fence,
    reached,
    text,
  }: {
    readonly run: RunId
    readonly fence: number
    readonly reached: 'worker' | 'nobody'
    readonly text: string
  },
): void {
  if (reached === 'worker') work.store.reachRun({ run, fence })
  tellOfRun(work, runAndTask(work, run), 'run.signalled', text)
}

/** Outcome and evidence, once. The slot is free from here on; the card waits for its tree to be gone. */
export function recordExited(work: Work, exited: readonly Exited[]): ReadonlySet<RunId> {
  const open = new Set<RunId>()
  for (const end of exited) {
    if (!exitRun(work, end)) continue
    open.add(end.run)
    work.store.clearProbe({ run: end.run })
    const of = runAndTask(work, end.run)
    if (end.outcome === 'tempfail') {
      moveTask(work, of.task, { to: of.task.status, by: 'end', tempfails: of.task.tempfails + 1 })
    }
    const { outcome, exitCode, signal, reason } = end
    const text = `attempt ${of.run.attempt} ended: ${briefly(reason)} (${outcome})`
    tellOfRun(work, of, 'run.exited', text, { outcome, exitCode, signal })
  }
  return open
}

export function exitRun(
  work: Work,
  { usage, stopDelivered, peakRssBytes = null, cpuSeconds = null, ...end }: Exited,
): boolean {
  const { inputTokens = null, cachedTokens = null, outputTokens = null, calls = null } = usage ?? {}
  const tokens = { inputTokens, cachedTokens, outputTokens, calls }
  return (
    work.store.exitRun({
      ...end,
      ...tokens,
      peakRssBytes,
      cpuSeconds,
      stopDelivered: stopDelivered ? 1 : 0,
      nowMs: work.nowMs,
    }) === 1
  )
}

/** The trees are gone: cards move, children are let go, batches are looked at. A run that was settled before is left alone. */
export function recordSettled(work: Work, settled: readonly Settled[]): void {
  const batches = new Set<NonNullable<StoredTask['batch']>>()
  for (const { run, fence, move, failures, countsToCap = true } of settled) {
    if (work.store.settleRun({ run, fence, countsToCap: countsToCap ? 1 : 0, nowMs: work.nowMs }) === 0) continue
    const of = runAndTask(work, run)
    tellOfRun(work, of, 'run.settled', `attempt ${of.run.attempt} is over`)
    settleWaiting(work, { ...of, move, failures })
    if (of.task.batch !== null) batches.add(of.task.batch)
  }
  for (const batch of batches) lookAtBatch(work, batch)
}

/** Ends of claims that never got a process: there is no tree whose end their cards would have to wait for. */
export function recordUnstarted(
  work: Work,
  ends: readonly { readonly exited: Exited; readonly settled: Settled }[],
): void {
  const exited = ends.map((end) => end.exited)
  const settled = ends.map((end) => end.settled)
  recordExited(work, exited)
  recordSettled(work, settled)
}

/**
 * A run that said it waits for another card leaves that need behind; its card goes back behind it, or starts again where
 * the other is done by now. A circle that was closed meanwhile is a person's to open.
 */
function settleWaiting(
  work: Work,
  { task, run, move, failures }: RunAndTask & { readonly move: Move; readonly failures: 0 | 1 },
): void {
  const onTask = run.call?.onTask ?? null
  if (onTask === null || move.to === 'done' || move.to === 'cancelled') {
    settleTask(work, task, move, failures)
    return
  }
  const cycle = findWaitCycle(work, task.id, onTask)
  if (cycle !== undefined) {
    const text = `it cannot wait for ${formatTaskId(onTask)}, which needs it by now: ${cycle.map(formatTaskId).join(' -> ')}`
    settleTask(work, task, move.to === 'failed' ? move : { to: 'blocked', code: 'need_cycle', text }, failures)
    return
  }
  const { id, board, batch } = task
  work.store.insertNeed({ task: id, onTask, onEnd: 'done' })
  const text = `${formatTaskId(id)} needs ${formatTaskId(onTask)}`
  work.tell({ kind: 'need.added', task: id, run: run.id, board, batch, text, data: { needs: onTask, when: 'done' } })
  settleTask(work, recountNeeds(work, task), move, failures)
}

/** Moves a card whose run has ended, with a person's wish applied and an edit that waited for the end taken over. */
export function settleTask(work: Work, task: StoredTask, asked: Move, failures: 0 | 1): StoredTask {
  const wish = task.wish === null ? null : { kind: task.wish, by: task.wishBy ?? '', text: task.wishText }
  const move = inBrief(applyWish(asked, wish))
  const change: TaskChange = {
    ...changeFor(task, move, wish?.by ?? work.by),
    failures: move.to === 'done' ? 0 : task.failures + failures,
    ...(move.to === 'done' ? { tempfails: 0, resetRun: task.openRun ?? task.resetRun } : {}),
  }
  return takeOverEdit(work, moveTask(work, task, change, sayMove(formatTaskId(task.id), move)))
}

/** What it asked for may have 64 KiB, which stand in its call; the card and the events say the beginning. */
function inBrief(move: Move): Move {
  return move.to === 'done' ? move : { ...move, text: briefly(move.text) }
}

function changeFor(task: StoredTask, move: Move, by: string): TaskChange {
  const none = { by: 'end', notBeforeMs: null, holdCode: null, holdText: null, holdBy: null } as const
  switch (move.to) {
    case 'done':
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
    case 'review':
      return { ...none, to: 'review', holdCode: 'review', holdText: move.text }
    case 'back': {
      const to = task.openNeeds > 0 ? 'todo' : 'ready'
      return { ...none, to, holdCode: move.code, holdText: move.text, notBeforeMs: move.notBeforeMs }
    }
    default:
      return assertNever(move)
  }
}

function sayMove(name: string, move: Move): Pick<NewEvent, 'kind' | 'text' | 'data'> {
  switch (move.to) {
    case 'done':
      return { kind: 'task.done', text: `${name} done` }
    case 'failed':
      return { kind: 'task.failed', text: `${name} failed: ${move.text}`, data: { code: move.code } }
    case 'cancelled':
      return { kind: 'task.cancelled', text: `${name} was cancelled: ${move.text}` }
    case 'blocked':
      return { kind: 'task.blocked', text: `${name} needs a person: ${move.text}`, data: { code: move.code } }
    case 'review':
      return { kind: 'task.review', text: `${name} waits for review: ${move.text}` }
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
