import {
  type CallKind,
  type ExitRule,
  type HardStopKind,
  isHardStop,
  type Outcome,
  type StopKind,
  type StopReason,
  type TerminalCall,
} from '../board/index.ts'
import { assertNever } from '../kernel/index.ts'
import type { ReadReport, RunReport } from '../runs/index.ts'
import { matchExitRule, sysexitsForAPerson, tempfailCode } from './exit-rules.ts'
import { sayCall, sayStop, sayWaitStatus, toldStatus } from './say-end.ts'
import type { WaitStatus } from './supervisor/index.ts'

/** Everything that may decide how an attempt ended, gathered after its death was seen. */
export interface EndFacts {
  /** S: why we ended it ourselves, where we did. */
  readonly stop: Pick<StopReason, 'kind' | 'by' | 'text'> | null
  /** A signal of ours reached a live process of it. */
  readonly delivered: boolean
  /** T: what it said of its own end through the API. */
  readonly call: Pick<TerminalCall, 'kind' | 'text' | 'onTask'> | null
  /** W, seen as the parent. */
  readonly wait: WaitStatus | null
  /** W, from the exit record; `never`: it was never given free to start. */
  readonly record: WaitStatus | 'never' | null
  /** The kernel has killed a process of it for memory. */
  readonly oom: boolean
  /** Whether it has killed anybody on this machine for memory at that time; null: not known. */
  readonly oomOnMachine: boolean | null
  /** The machine was started anew since. */
  readonly otherBoot: boolean
  /** R, already checked to be of this attempt. */
  readonly report: ReadReport
  /** The folded tail, for rules that look for a text. */
  readonly tail: string | null
  readonly lane: JudgedLane
}

/** What a lane says about ends; stored with the attempt at its claim, so a change of configuration never re-judges. */
export interface JudgedLane {
  /** What exit 0 needs to count as done: nothing more, or a report that says completed. */
  readonly evidence: 'code' | 'report'
  readonly exits: readonly ExitRule[]
  readonly sysexits: boolean
  readonly account: string | null
}

/** The one outcome of an attempt, with its evidence. */
export interface JudgedEnd {
  readonly outcome: Outcome
  readonly exitCode: number | null
  readonly signal: string | null
  /** Sentences for people: why this outcome, and what else was noticed. */
  readonly reason: string
}

/**
 * Decides how an attempt ended, in the order of design section 4, "What decides": our own delivered hard stop, then its
 * terminal call, then its report, which lowers (and says done beside 75 where the board could not be reached), then what
 * was read of the process, then our soft stop, then "not knowable". Pure: the same facts give the same answer in every
 * hub, before and after a restart.
 */
export function judgeEnd(facts: EndFacts): JudgedEnd {
  const status = statusOf(facts)
  const decided =
    neverStarted(facts) ??
    byHardStop(facts) ??
    byCall(facts) ??
    byUndeliveredReport(facts, status) ??
    bySoftStop(facts, status) ??
    byStatus(facts, status) ??
    notKnowable(facts)
  const told = toldStatus(facts, status)
  return {
    outcome: decided.outcome,
    exitCode: told?.kind === 'code' ? told.code : null,
    signal: told?.kind === 'signal' ? told.signal : null,
    reason: [decided.says, ...notes(facts, { outcome: decided.outcome, status: told })].join('. '),
  }
}

interface Decided {
  readonly outcome: Outcome
  readonly says: string
}

/** The wait status where there is one: the exit record is written by a process that may have been disturbed. */
function statusOf({ wait, record }: EndFacts): WaitStatus | null {
  return wait ?? (record === 'never' ? null : record)
}

/** Who called was running, whatever is written in the record by now. */
function neverStarted({ record, stop, call }: EndFacts): Decided | undefined {
  if (record !== 'never' || call !== null) return undefined
  const why = stop === null ? '' : `: ${sayStop(stop)}`
  return { outcome: 'interrupted', says: `it was taken, but its command was never started${why}` }
}

/** Stops that decide the outcome once they reached the process. The others only explain a death by signal. */
export const hardStops: Readonly<Record<HardStopKind, Outcome>> = {
  cancel: 'cancelled',
  stop: 'stopped',
  timeout: 'timed_out',
  stall: 'stalled',
  memory: 'oom',
  budget: 'failed',
}

/** Ours, and about the yard, never about the task. `linger` is not among them: it decides nothing at all. */
export const softStops: readonly StopKind[] = ['drain', 'replace', 'shutdown', 'batch_time']

/** The board takes no call once a hard stop is committed: where both are there, the call came first. */
function byHardStop({ stop, delivered, call }: EndFacts): Decided | undefined {
  if (stop === null || !isHardStop(stop.kind) || !delivered || call !== null) return undefined
  return { outcome: hardStops[stop.kind], says: sayStop(stop) }
}

/** By kind: its outcome. Who waits for another task is held up by it, and says nothing against the work. */
const outcomeOfCall: Readonly<Record<CallKind, Outcome>> = {
  complete: 'done',
  block: 'blocked',
  review: 'review',
  wait: 'blocked',
}

/** Whatever the code is. Only what its report says of the work itself may still lower it. */
function byCall({ call, report }: EndFacts): Decided | undefined {
  if (call === null) return undefined
  const said = usable(report)
  const lowers = said === null ? undefined : reportLowersCall[said.status]
  if (said !== null && lowers?.from.includes(call.kind)) {
    return { outcome: lowers.to, says: withMessage(`${sayCall(call)}, but its report says ${said.status}`, said) }
  }
  return { outcome: outcomeOfCall[call.kind], says: sayCall(call) }
}

/** A wall met or a signal heard after the call says nothing about work that was finished before. */
const reportLowersCall: Readonly<
  Partial<Record<RunReport['status'], { readonly to: Outcome; readonly from: readonly CallKind[] }>>
> = {
  failed: { to: 'failed', from: ['complete', 'review'] },
  partial: { to: 'incomplete', from: ['complete'] },
}

/** What a report says of an end that could not be told: its work is not repeated, and its question is not asked anew. */
const undelivered: Readonly<Record<string, Outcome>> = { blocked: 'blocked', review: 'review' }

function byUndeliveredReport({ report }: EndFacts, status: WaitStatus | null): Decided | undefined {
  const said = usable(report)
  const isTempfail = status?.kind === 'code' && status.code === tempfailCode
  if (!isTempfail || said?.delivery !== 'board_unreachable') return undefined
  if (said.status === 'completed') {
    return { outcome: 'done', says: 'exit code 75, and its report says completed: only the board could not be reached' }
  }
  const outcome = said.status === 'partial' ? undelivered[said.reason ?? ''] : undefined
  return outcome === undefined ? undefined : { outcome, says: said.message ?? `its report says ${said.reason}` }
}

/** With nothing readable a delivered soft stop still tells what ended it: the hard rung leaves no exit record behind. */
function bySoftStop({ stop, delivered }: EndFacts, status: WaitStatus | null): Decided | undefined {
  if (stop === null || !softStops.includes(stop.kind)) return undefined
  const endedBySignal = status === null ? delivered : status.kind === 'signal'
  return endedBySignal ? { outcome: 'interrupted', says: sayStop(stop) } : undefined
}

function byStatus(facts: EndFacts, status: WaitStatus | null): Decided | undefined {
  if (status === null) return undefined
  return loweredByReport(facts, byExitRule(facts, status) ?? byBuiltInRule(facts, status))
}

const outcomeOfRule: Readonly<Record<ExitRule['then'], Outcome>> = {
  done: 'done',
  retry: 'failed',
  fail: 'failed',
  block: 'failed',
  later: 'tempfail',
  wall: 'tempfail',
}

function byExitRule({ lane, tail }: EndFacts, status: WaitStatus): Decided | undefined {
  const rule = matchExitRule(lane.exits, { status, tail })
  if (rule === undefined) return undefined
  const met =
    rule.output === undefined ? sayWaitStatus(status) : `${sayWaitStatus(status)}, output says "${rule.output}"`
  const why = rule.why === undefined ? `a rule of this lane or task says: ${rule.then}` : rule.why
  return { outcome: outcomeOfRule[rule.then], says: `${met}: ${why}` }
}

/** Of our own agent: its model stopped with a plain answer, told twice to say how the task ends (C48). */
const notFinished = 'not_finished'

function byBuiltInRule(facts: EndFacts, status: WaitStatus): Decided {
  if (status.kind === 'signal') return bySignal(status.signal, facts)
  const { lane } = facts
  const report = usable(facts.report)
  if (status.code === 0) return byEvidence(facts)
  if (status.code === tempfailCode) return { outcome: 'tempfail', says: report?.message ?? 'exit code 75: try later' }
  if (status.code === 1 && report !== null && report.needsHuman !== null) {
    return { outcome: 'tempfail', says: report.message ?? `the provider wants a person to settle ${report.needsHuman}` }
  }
  if (status.code === 1 && report?.status === 'partial' && report.reason === notFinished) {
    return { outcome: 'incomplete', says: withMessage('it stopped without saying how its task ends', report) }
  }
  const meaning = lane.sysexits ? sysexitsForAPerson[status.code] : undefined
  if (meaning !== undefined) return { outcome: 'failed', says: `exit code ${status.code}: ${meaning}` }
  return { outcome: 'failed', says: withMessage(sayWaitStatus(status), report) }
}

/** 130 and 143 arrive here as the signals they stand for: somebody outside asked it to end. */
function bySignal(signal: string, { oom, oomOnMachine }: EndFacts): Decided {
  if (signal === 'SIGINT' || signal === 'SIGTERM') {
    return { outcome: 'interrupted', says: `ended by ${signal}, and not by us` }
  }
  if (signal === 'SIGKILL' && oom) return { outcome: 'oom', says: 'SIGKILL: the kernel killed it for memory' }
  if (signal === 'SIGKILL')
    return { outcome: 'killed', says: `SIGKILL: killed from outside, ${sayMemory(oomOnMachine)}` }
  return { outcome: 'killed', says: `ended by ${signal}` }
}

/** Only the kernel's own count of the attempt is proof; that of the machine may be about somebody else. */
function sayMemory(oomOnMachine: boolean | null): string {
  if (oomOnMachine === null) return 'possibly out of memory'
  return oomOnMachine
    ? 'possibly out of memory: the system has killed for memory at that time'
    : 'and not for memory: the system has killed nothing for memory at that time'
}

function byEvidence({ lane, report }: EndFacts): Decided {
  switch (lane.evidence) {
    case 'code':
      return { outcome: 'done', says: 'exit code 0' }
    case 'report':
      return usable(report)?.status === 'completed'
        ? { outcome: 'done', says: 'exit code 0, and its report says completed' }
        : { outcome: 'incomplete', says: 'exit code 0, but no report says that it was completed: no evidence of work' }
    default:
      return assertNever(lane.evidence)
  }
}

/** A report may lower what the code says; it never raises it. By status: the outcome, and which outcomes it lowers. */
const reportLowers: Readonly<
  Record<RunReport['status'], { readonly to: Outcome; readonly from: readonly Outcome[] } | null>
> = {
  completed: null,
  failed: { to: 'failed', from: ['done', 'incomplete', 'tempfail'] },
  partial: { to: 'incomplete', from: ['done'] },
  wall: { to: 'tempfail', from: ['done', 'incomplete'] },
  interrupted: { to: 'interrupted', from: ['done', 'incomplete'] },
}

function loweredByReport(facts: EndFacts, decided: Decided): Decided {
  const report = usable(facts.report)
  const lowers = report === null ? null : reportLowers[report.status]
  if (report === null || lowers === null || !lowers.from.includes(decided.outcome)) return decided
  if (report.needsHuman !== null && decided.outcome === 'tempfail') return decided // the account's trouble, not the task's
  return { outcome: lowers.to, says: withMessage(`its report says ${report.status}`, report) }
}

function notKnowable({ otherBoot }: EndFacts): Decided {
  if (otherBoot) return { outcome: 'lost', says: 'cut by a reboot of the machine' }
  return { outcome: 'unknown', says: 'its end is not knowable: it is gone and left no exit code' }
}

function notes(
  facts: EndFacts,
  { outcome, status }: { readonly outcome: Outcome; readonly status: WaitStatus | null },
): string[] {
  const { stop, delivered, call, wait, record, report, oom } = facts
  const said: string[] = []
  if (call !== null && status !== null && (status.kind === 'signal' || status.code !== 0)) {
    said.push(`After that it ended with ${sayWaitStatus(status)}`)
  }
  if (call !== null && stop !== null && delivered) said.push(`Then ${sayStop(stop)}`)
  if (stop !== null && isHardStop(stop.kind) && !delivered && record !== 'never') {
    said.push(`It had already ended when this reached it: ${sayStop(stop)}`)
  }
  if (oom && outcome !== 'oom') said.push('The kernel killed a process of it for memory')
  if (wait !== null && record !== null && record !== 'never' && sayWaitStatus(wait) !== sayWaitStatus(record)) {
    said.push(`Its exit record says otherwise (${sayWaitStatus(record)})`)
  }
  if (report.kind === 'refused') said.push(`Its report was not used: ${report.why}`)
  if (report.kind === 'report' && report.report.status === 'completed' && outcome !== 'done') {
    said.push('Its report says completed')
  }
  return said
}

function usable(report: ReadReport): RunReport | null {
  return report.kind === 'report' ? report.report : null
}

function withMessage(says: string, report: RunReport | null): string {
  return report?.message == null ? says : `${says}: ${report.message}`
}
