import { briefly, formatTaskId, type RunId } from '../../kernel/index.ts'
import type { StopReason } from '../run.ts'
import type { Exited, Move, Settled } from '../run-steps.ts'
import type { StoredTask } from '../stored-task.ts'
import type { Work } from '../work.ts'
import { lookAtBatch } from './batches.ts'
import { recountNeeds } from './edit-task.ts'
import { moveTask } from './move-task.ts'
import { findWaitCycle } from './run-calls.ts'
import { settleTask } from './settle-task.ts'
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
    if (end.outcome === 'tempfail' && of.run.claimedFrom === 'ready') {
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
  { usage, spent, stopDelivered, peakRssBytes = null, cpuSeconds = null, stage, ...end }: Exited,
): boolean {
  const { inputTokens = null, cachedTokens = null, outputTokens = null, calls = null } = usage ?? {}
  const tokens = { inputTokens, cachedTokens, outputTokens, calls }
  if (stage !== undefined) work.store.closeStage({ run: end.run, ...stage, nowMs: work.nowMs })
  return (
    work.store.exitRun({
      ...end,
      ...tokens,
      spent: spent == null ? null : JSON.stringify(spent),
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
    settleTask(work, { task, run }, move, failures)
    return
  }
  const cycle = findWaitCycle(work, task.id, onTask)
  if (cycle !== undefined) {
    const text = `it cannot wait for ${formatTaskId(onTask)}, which needs it by now: ${cycle.map(formatTaskId).join(' -> ')}`
    settleTask(work, { task, run }, move.to === 'failed' ? move : { to: 'blocked', code: 'need_cycle', text }, failures)
    return
  }
  const { id, board, batch } = task
  work.store.insertNeed({ task: id, onTask, onEnd: 'done' })
  const text = `${formatTaskId(id)} needs ${formatTaskId(onTask)}`
  work.tell({ kind: 'need.added', task: id, run: run.id, board, batch, text, data: { needs: onTask, when: 'done' } })
  settleTask(work, { task: recountNeeds(work, task), run }, move, failures)
}
