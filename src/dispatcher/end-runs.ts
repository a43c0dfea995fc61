import type { Refusal, Run, Settled } from '../board/index.ts'
import { formatRunId, isShortage, maskJson } from '../kernel/index.ts'
import { composeRunFiles, type ReadReport, type RunReport, readFoldedTail, readReport } from '../runs/index.ts'
import type { AccountMemory } from './account-memory.ts'
import type { JudgedWork } from './decided-end.ts'
import type { YardDeps } from './deps.ts'
import { isClosed } from './gates.ts'
import { judgeEnd } from './judge-end.ts'
import type { OpenRun } from './open-runs.ts'
import { planNext, type RecordedEnd } from './plan-next.ts'
import { judgeReview } from './review/judge-review.ts'
import { planReviewNext, tallyOf } from './review/plan-review-next.ts'
import { readVerdict, type Verdict } from './review/read-verdict.ts'
import type { ExitFacts } from './supervisor/index.ts'

/** An attempt whose outcome is decided, ready for the record. */
export interface DecidedEnd extends JudgedWork {
  readonly open: OpenRun
}

/** Gathers what an attempt left, folds its last words, and decides its outcome. Reads files, writes nothing. */
export function decideEnd(deps: Pick<YardDeps, 'log'>, open: OpenRun, facts: ExitFacts): DecidedEnd {
  const { plan, redact, stop, call } = open
  const { tail, read } = readLeft(deps, open)
  const judged = judgeEnd({ ...facts, stop, call, report: read, tail, lane: plan })
  const report = read.kind === 'report' ? read.report : null
  const result = resultOf(open, report, tail)
  const verdict = plan.reviewOf === null ? null : readVerdict({ call, report, text: result ?? tail })
  const { outcome, reason: says } = plan.reviewOf === null ? judged : judgeReview(judged, verdict)
  const { exitCode, signal } = judged
  const reason = redact(says)
  return {
    open,
    report,
    exited: {
      run: open.id,
      fence: open.fence,
      outcome,
      exitCode,
      signal,
      reason,
      outputTail: tail === '' ? null : tail,
      result,
      data: dataOf(open, report),
      usage: report?.usage ?? null,
      spent: spentOf(open, report),
      stopDelivered: facts.delivered,
      peakRssBytes: facts.peakRssBytes,
      cpuSeconds: facts.cpuSeconds,
    },
    end: {
      run: open.id,
      outcome,
      exitCode,
      signal,
      reason,
      tail,
      started: facts.record !== 'never',
      launchFault: null,
      stop,
      call,
      report,
      ...ofReview(open, verdict),
    },
  }
}

/** Older workers and scripts say nothing of it: then there is no row of it, either. */
function spentOf({ redact }: OpenRun, report: RunReport | null): Run['spent'] {
  if (report === null) return null
  const { model = null, costUsd = null, counts = null, compactions = null } = report
  // A call that was cut because the worker was told to stop was refused by nobody.
  const error = report.error?.class === 'interrupted' ? null : (report.error ?? null)
  if (model === null && costUsd === null && counts === null && error === null) return null
  return {
    ...{ model: model === null ? null : redact(model), costUsd, counts: counts ?? {}, compactions: compactions ?? 0 },
    ...(error === null ? {} : { refusal: refusalOf(redact, error) }),
  }
}

/** Names, codes and ids are short; whatever else a worker puts there is of no use to anybody. */
const mostRefusalCharacters = 200

function refusalOf(redact: OpenRun['redact'], error: NonNullable<RunReport['error']>): Refusal {
  const short = (text: string) => redact(text).slice(0, mostRefusalCharacters)
  const shortOrNull = (text: string | null) => (text === null ? null : short(text))
  return {
    class: short(error.class),
    reason: short(error.reason),
    provider: shortOrNull(error.provider),
    status: error.status,
    code: shortOrNull(error.code),
    requestId: shortOrNull(error.requestId),
  }
}

/** What it says travels into a remark and the prompt of the next attempt: masked as its answer is. */
function ofReview({ redact }: OpenRun, verdict: Verdict | null): Pick<RecordedEnd, 'verdict'> {
  return verdict === null ? {} : { verdict: { ...verdict, text: redact(verdict.text) } }
}

/**
 * Files that cannot be read must not keep an end from being decided: what is left is then the code alone, and a note. But
 * a machine that is short of something says nothing about them: that is thrown, and the end waits for the next wake.
 */
function readLeft({ log }: Pick<YardDeps, 'log'>, open: OpenRun): { readonly tail: string; readonly read: ReadReport } {
  try {
    return { tail: readFoldedTail(composeRunFiles(open.runDir).log, open.redact), read: readReportOf(open) }
  } catch (fault) {
    if (isShortage((fault as NodeJS.ErrnoException).code)) throw fault
    log.error('run.files_not_read', { run: open.id, fault: String(fault) })
    return { tail: '', read: { kind: 'refused', why: String(fault) } }
  }
}

/** Its message is masked at once, since it travels far: into outcome, account, events and logs. Result and data follow when they are kept. */
export function readReportOf({ runDir, id, fence, redact }: OpenRun): ReadReport {
  const read = readReport(composeRunFiles(runDir).report, { run: id, fence })
  if (read.kind !== 'report' || read.report.message === null) return read
  return { kind: 'report', report: { ...read.report, message: redact(read.report.message) } }
}

/**
 * What it said through the API comes first; it was masked there. Of our own agent only what it said or reported is a
 * result: its log is not its answer.
 */
function resultOf({ plan, redact, call }: OpenRun, report: RunReport | null, tail: string): string | null {
  if (call?.kind === 'complete' && call.text !== '') return call.text
  if (report?.result != null) return redact(report.result)
  return plan.evidence === 'report' || tail === '' ? null : tail
}

function dataOf(open: OpenRun, report: RunReport | null): string | null {
  if (open.call?.data != null) return open.call.data
  return report?.data == null ? null : maskJson(open.redact, report.data)
}

/** The end of an attempt that exited under an earlier hub, as the board has it. */
export function recallEnd(open: OpenRun, run: Run): RecordedEnd {
  const { outcome, exitCode, signal, stopDelivered } = run
  if (outcome === null) throw new Error(`${formatRunId(run.id)} is not over`)
  const read = readReportOf(open)
  const report = read.kind === 'report' ? read.report : null
  const text = run.result ?? run.outputTail ?? ''
  const verdict = open.plan.reviewOf === null ? null : readVerdict({ call: run.call, report, text })
  return {
    run: run.id,
    outcome,
    exitCode,
    signal,
    reason: run.reason ?? outcome,
    tail: run.outputTail,
    // Only what never got its go was interrupted by nothing at all.
    started:
      run.stage !== 'prepare' && (outcome !== 'interrupted' || exitCode !== null || signal !== null || stopDelivered),
    launchFault: outcome === 'launch_failed' ? 'other' : null,
    stop: run.stop,
    call: run.call,
    report,
    ...ofReview(open, verdict),
  }
}

/** Where the task of an attempt goes whose tree is gone. */
export function planSettle(
  deps: YardDeps & { readonly accounts: AccountMemory },
  open: OpenRun,
  end: RecordedEnd,
): Settled {
  const { board, random, clock, retryWaits, accounts } = deps
  const { account } = open.plan
  const next = (open.plan.reviewOf === null ? planNext : planReviewNext)(
    { random },
    {
      end,
      tally: tallyOf(board.tally(open.task), open.plan),
      settings: open.plan,
      account:
        account === null
          ? null
          : { closed: isClosed(board.readGate(account)), servedOthers: accounts.servedOthers(account, open) },
      waits: retryWaits,
      nowMs: clock.nowMs(),
    },
  )
  return { run: open.id, fence: open.fence, ...next }
}
