import type { EndTally, Move, Outcome, Rerun, ReviewSpec, StopReason, TerminalCall } from '../board/index.ts'
import { assertNever, backoffMs, describeDuration, jitter, type Random, type RunId } from '../kernel/index.ts'
import type { RunReport } from '../runs/index.ts'
import {
  type Cap,
  crashLoop,
  type EndRow,
  endRows,
  incompleteInARow,
  saysNothingOfTheTask,
  specialRows,
} from './end-rows.ts'
import { matchExitRule, sysexitsForAPerson } from './exit-rules.ts'
import { type JudgedLane, softStops } from './judge-end.ts'
import type { Verdict } from './review/read-verdict.ts'

/** An end as it stands on record, so that a hub that was started anew settles it just as the old one would have. */
export interface RecordedEnd {
  readonly run: RunId
  readonly outcome: Outcome
  readonly exitCode: number | null
  readonly signal: string | null
  readonly reason: string
  readonly tail: string | null
  /** False: it never got its go. */
  readonly started: boolean
  /** Whose a failed launch is: the task's own text or command, a shortage of the machine, or the lane's or machine's else. */
  readonly launchFault: 'task' | 'short' | 'other' | null
  readonly stop: Pick<StopReason, 'kind' | 'by' | 'text'> | null
  readonly call: Pick<TerminalCall, 'kind' | 'code' | 'text'> | null
  readonly report: (Pick<RunReport, 'status' | 'needsHuman'> & Partial<Pick<RunReport, 'reason'>>) | null
  /** Of an attempt that reviewed: what it said of the work; absent of all others, and where it said nothing. */
  readonly verdict?: Verdict | null
}

/** What of the resolved settings decides the next step. */
export interface NextSettings extends JudgedLane {
  readonly kind: 'prompt' | 'run'
  readonly attempts: number
  readonly rerun: Rerun
  readonly review: ReviewSpec
}

/** Shortest and longest wait before a retry. Built in: 10 s and 10 min (design section 4). */
export interface RetryWaits {
  readonly baseMs: number
  readonly capMs: number
}

export const builtInRetryWaits: RetryWaits = { baseMs: 10_000, capMs: 600_000 }

/** Where the task goes. `countsToCap` is stored with the run for the next time the caps are asked. */
export interface PlannedNext {
  readonly move: Move
  readonly failures: 0 | 1
  readonly countsToCap: boolean
}

export interface NextInput {
  readonly end: RecordedEnd
  /** May or may not include this very end; it is told apart by its run. */
  readonly tally: EndTally
  readonly settings: NextSettings
  /** Null without an account. */
  readonly account: {
    /** Its gate is closed or parked now. */
    readonly closed: boolean
    /** It served another task while this attempt ran: then a 75 is the task's own. */
    readonly servedOthers: boolean
  } | null
  readonly waits: RetryWaits
  readonly nowMs: number
}

/**
 * Plans where a task goes when its attempt is over: the exit-rule table of design section 4 with its caps, streaks and
 * attempts. Past a cap a task waits for a person; it is never failed for what says nothing about it. A person's wish
 * stands above the plan; the board applies it in the transaction that moves the task. Pure: reads nothing, writes nothing.
 */
export function planNext(deps: { readonly random: Random }, input: NextInput): PlannedNext {
  const { end } = input
  const row = rowOf(input)
  const ends = [{ outcome: end.outcome, atMs: input.nowMs }, ...earlier(input)]
  const move =
    byCrashLoop(input, ends) ?? byIncompleteStreak(input, ends) ?? byCap(input, row) ?? byRow(deps, input, row)
  return { move, failures: row.failure, countsToCap: countsToCap(input, row) }
}

function rowOf({ end, settings, account }: NextInput): EndRow {
  const rule = ruleOf(end, settings)
  switch (end.outcome) {
    case 'interrupted':
      if (!end.started) return specialRows.neverStarted
      return isSoft(end) ? specialRows.softStopped : endRows.interrupted
    case 'tempfail':
      if (rule === undefined && end.report?.needsHuman != null) {
        return account === null ? specialRows.needsMoneyOrAccess : specialRows.accountParked
      }
      if (account === null) return settings.kind === 'run' ? specialRows.tempfailOfPlainCommand : endRows.tempfail
      return account.closed || saysWall(end, settings) ? specialRows.tempfailBehindGate : endRows.tempfail
    case 'failed':
      if (rule?.then === 'block') return specialRows.badInput
      if (rule?.then === 'fail') return specialRows.failedForGood
      // The hub that it found has another store: the next attempt would find it, too (C102).
      if (rule === undefined && end.report?.reason === 'wrong_store') return specialRows.badInput
      return rule === undefined && isForAPerson(end, settings) ? specialRows.badInput : endRows.failed
    case 'blocked':
      return end.call?.kind === 'wait' ? specialRows.waits : endRows.blocked
    case 'launch_failed':
      if (end.launchFault === 'short') return specialRows.machineShort
      return end.launchFault === 'task' ? specialRows.refusedBySystem : endRows.launch_failed
    default:
      return endRows[end.outcome]
  }
}

/** The lane's or task's own rule that made this outcome, if one did: not when we ended it or its report lowered it. */
export function ruleOf(
  { exitCode, signal, tail, stop, report }: Pick<RecordedEnd, 'exitCode' | 'signal' | 'tail' | 'stop' | 'report'>,
  { exits }: Pick<NextSettings, 'exits'>,
) {
  if (stop !== null || report?.status === 'failed') return undefined
  if (exitCode !== null) return matchExitRule(exits, { status: { kind: 'code', code: exitCode }, tail })
  return signal === null ? undefined : matchExitRule(exits, { status: { kind: 'signal', signal }, tail })
}

/** Evidence about the account: its report or a rule says wall. A bare 75 says nothing of it. */
export function saysWall(
  end: Pick<RecordedEnd, 'exitCode' | 'signal' | 'tail' | 'stop' | 'report'>,
  settings: Pick<NextSettings, 'exits'>,
): boolean {
  return end.report?.status === 'wall' || ruleOf(end, settings)?.then === 'wall'
}

function isSoft({ stop }: RecordedEnd): boolean {
  return stop !== null && softStops.includes(stop.kind)
}

function isForAPerson({ exitCode, stop }: RecordedEnd, { sysexits }: NextSettings): boolean {
  return sysexits && stop === null && exitCode !== null && sysexitsForAPerson[exitCode] !== undefined
}

function earlier({ tally, end }: NextInput) {
  return tally.ends.filter((past) => past.run !== end.run)
}

interface PastEnd {
  readonly outcome: Outcome
  readonly atMs: number
}

function byCrashLoop({ nowMs, end }: NextInput, ends: readonly PastEnd[]): Move | undefined {
  if (!crashLoop.outcomes.includes(end.outcome)) return undefined
  const crashes = ends.filter(
    (past) => crashLoop.outcomes.includes(past.outcome) && past.atMs > nowMs - crashLoop.withinMs,
  )
  if (crashes.length < crashLoop.ends) return undefined
  const text = `crash loop: died by a signal ${crashes.length} times within 72 hours. Last: ${end.reason}`
  return { to: 'failed', code: 'crash_loop', text }
}

function byIncompleteStreak({ end }: NextInput, ends: readonly PastEnd[]): Move | undefined {
  if (end.outcome !== 'incomplete') return undefined
  const telling = ends.filter((past) => !saysNothingOfTheTask.includes(past.outcome))
  const broken = telling.findIndex((past) => past.outcome !== 'incomplete')
  const inARow = broken === -1 ? telling.length : broken
  if (inARow < incompleteInARow) return undefined
  return {
    to: 'failed',
    code: 'incomplete',
    text: `${inARow} attempts in a row left no evidence of work. Last: ${end.reason}`,
  }
}

/** "Cap 5" lets five such ends happen; the fifth waits for a person. */
function byCap(input: NextInput, row: EndRow): Move | undefined {
  const { end, nowMs } = input
  if (row.cap === null || !countsToCap(input, row)) return undefined
  const { ends, withinMs } = row.cap
  const counted = earlier(input).filter(
    (past) => past.outcome === end.outcome && past.countsToCap && (withinMs === null || past.atMs > nowMs - withinMs),
  )
  if (counted.length + 1 < ends) return undefined
  return { to: 'blocked', code: end.outcome, text: sayCap(end, row.cap) }
}

function sayCap(end: RecordedEnd, { ends, withinMs }: Cap): string {
  const within = withinMs === null ? '' : ` within ${describeDuration(withinMs)}`
  return `${ends} attempts ended this way${within}, so it waits for you. Last: ${end.reason}`
}

function countsToCap({ end, account }: NextInput, row: EndRow): boolean {
  if (row.cap === null) return false
  // With an account its gate is the brake: only a 75 while it served others is the task's own.
  return end.outcome !== 'tempfail' || account === null || account.servedOthers
}

function byRow(deps: { readonly random: Random }, input: NextInput, row: EndRow): Move {
  const { end, settings, tally } = input
  if (row.next === 'block') return block(end)
  if (row.next === 'fail') return { to: 'failed', code: end.outcome, text: end.reason }
  const failures = tally.failures + row.failure
  if (row.failure === 1 && failures >= settings.attempts) {
    const text =
      settings.attempts === 1 ? end.reason : `failed ${failures} of ${settings.attempts} times. Last: ${end.reason}`
    return { to: 'failed', code: end.outcome, text }
  }
  switch (row.next) {
    case 'done':
      return { to: 'done' }
    case 'cancelled':
      return { to: 'cancelled', text: end.reason }
    case 'review':
      return { to: 'review', text: end.call?.text || end.reason, lane: laneOf(settings.review) }
    case 'back':
      return back(end, null)
    case 'back_off':
      return back(end, input.nowMs + waitMs(deps, input, row))
    case 'rerun':
      return settings.rerun === 'auto' ? back(end, null) : askAPerson(end)
    default:
      return assertNever(row.next)
  }
}

const laneOf = (review: ReviewSpec): string | null => (typeof review === 'object' ? review.lane : null)

/** What it asks itself is said as it asked it. */
function block(end: RecordedEnd): Move {
  const asks = end.outcome === 'blocked' ? end.call : null
  return { to: 'blocked', code: asks?.code ?? blockedCode(end), text: asks?.text || end.reason }
}

function blockedCode({ outcome, report }: RecordedEnd): string {
  if (outcome === 'blocked') return 'needs_input' // asked by its report: the board could not be reached
  return outcome === 'tempfail' && report?.needsHuman != null ? `needs_${report.needsHuman}` : outcome
}

function back({ outcome, reason }: RecordedEnd, notBeforeMs: number | null): Move {
  return { to: 'back', notBeforeMs, code: outcome, text: reason }
}

function askAPerson({ outcome, reason }: RecordedEnd): Move {
  return { to: 'blocked', code: outcome, text: `${reason}. It may have done part of its work (rerun: ask)` }
}

/** Failures wait by how often the task failed; other ends by how often the same came in a row. */
/** No wait between two attempts is longer: the longest, with what jitter may add to it. */
export const longestWaitMs = ({ capMs }: RetryWaits): number => Math.ceil(1.1 * capMs)

function waitMs({ random }: { readonly random: Random }, input: NextInput, row: EndRow): number {
  const { end, tally, waits } = input
  const times = row.failure === 1 ? tally.failures + 1 : inARow(earlier(input), end.outcome) + 1
  return jitter(backoffMs(times, waits.baseMs, waits.capMs), random)
}

function inARow(ends: readonly PastEnd[], outcome: Outcome): number {
  const broken = ends.findIndex((past) => past.outcome !== outcome)
  return broken === -1 ? ends.length : broken
}
