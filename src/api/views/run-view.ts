import { type BoardReader, isImported, type Refusal, type Run, type RunSummary } from '../../board/index.ts'
import type { Redactor } from '../../kernel/index.ts'
import { composeRunFiles, readLastLine } from '../../runs/index.ts'
import type { RunSummaryView, RunView } from '../contract/index.ts'
import { maskOf } from '../logs/run-mask.ts'
import type { YardView } from '../yard-view.ts'
import { viewChange, viewStage } from './change-view.ts'
import { isoTime, isoTimeOrNull } from './time.ts'

type Deps = {
  readonly board: Pick<BoardReader, 'hostElsewhere' | 'changeOf' | 'stagesOf' | 'runsOf'>
  readonly yard: Pick<YardView, 'runDir' | 'secretsOf' | 'dispatcher' | 'hub' | 'originalOf'>
  readonly mask: Redactor
}

/** A run for people: no nonce, no fence, no fingerprint. */
export function viewRun(deps: Deps, run: Run): RunView {
  const change = deps.board.changeOf(run.id)
  return {
    ...viewRunSummary(deps, summaryOf(run)),
    result: run.result,
    counts: run.spent?.counts ?? {},
    compactions: run.spent?.compactions ?? 0,
    refusal: run.spent?.refusal === undefined ? null : viewRefusal(run.spent.refusal),
    data: run.data === null ? null : (JSON.parse(run.data) as unknown),
    change: change === undefined ? null : viewChange(change),
    stages: deps.board.stagesOf(run.id).map(viewStage),
  }
}

/** The same in an exported board. */
export function viewRefusal({ requestId, ...refusal }: Refusal): NonNullable<RunView['refusal']> {
  return { ...refusal, request_id: requestId }
}

/** An attempt as the board's lists have it. */
export function summaryOf({ result, data: _, ...run }: Run): RunSummary {
  return { ...run, resultTail: result === null ? null : tailOf(result) }
}

/** The last 1,000 characters, counted as SQLite does: a pair of surrogates is one. */
function tailOf(result: string): string {
  const tail = result.slice(-1_000)
  return /[\ud800-\udfff]/.test(tail) ? [...result.slice(-2_002)].slice(-1_000).join('') : tail
}

/** The same for lists: without what it left. */
export function viewRunSummary(deps: Deps, run: RunSummary): RunSummaryView {
  const { board, yard } = deps
  const elsewhere = board.hostElsewhere(run)
  const original = elsewhere === null ? (yard.originalOf(run) ?? null) : null
  const isHeld = original !== null || yard.dispatcher?.isHeld(run.id) === true
  return {
    id: run.id,
    task: run.task,
    attempt: run.attempt,
    phase: run.phase,
    stage: run.outcome === null ? run.stage : null,
    stage_over: run.outcome === null && run.stageOver,
    lane: run.lane,
    account: run.account,
    slot: run.slot,
    probe: run.probe,
    pid: run.pid,
    outcome: run.outcome,
    exit_code: run.exitCode,
    signal: run.signal,
    reason: run.reason,
    output_tail: run.outputTail,
    result_tail: run.resultTail,
    usage: run.usage === null ? null : viewUsage(run.usage),
    model: run.spent?.model ?? null,
    cost_usd: run.spent?.costUsd ?? null,
    stop: run.stop === null ? null : viewStop(run.stop, run.stopDelivered),
    rung: run.rung,
    call: run.call === null ? null : viewCall(run.call),
    heartbeat_at: isoTimeOrNull(run.heartbeatAtMs),
    late_calls: run.lateCalls,
    peak_rss_bytes: run.peakRssBytes,
    cpu_seconds: run.cpuSeconds,
    claimed_at: isoTime(run.claimedAtMs),
    started_at: isoTimeOrNull(run.startedAtMs),
    exited_at: isoTimeOrNull(run.exitedAtMs),
    settled_at: isoTimeOrNull(run.settledAtMs),
    released_by: run.releasedBy,
    pruned_at: isoTimeOrNull(run.prunedAtMs),
    imported: isImported(run),
    dir: yard.runDir(run.id),
    host: elsewhere ?? yard.hub?.host ?? null,
    elsewhere: elsewhere !== null,
    held: run.phase === 'started' && elsewhere === null && isHeld,
    original,
    review: run.claimedFrom === 'review',
    checked: (run.outcome === 'done' || run.outcome === 'review') && hasPassedCheck(deps, run),
    live: run.phase === 'started' ? viewLive(deps, run) : null,
  }
}

function hasPassedCheck({ board }: Deps, { id, task, claimedFrom }: RunSummary): boolean {
  const judged = claimedFrom === 'ready' ? id : board.runsOf(task).findLast((run) => run.claimedFrom === 'ready')?.id
  return judged !== undefined && board.stagesOf(judged).some(({ kind, exitCode }) => kind === 'check' && exitCode === 0)
}

function viewUsage(usage: NonNullable<Run['usage']>): RunSummaryView['usage'] {
  return {
    input_tokens: usage.inputTokens,
    cached_tokens: usage.cachedTokens,
    output_tokens: usage.outputTokens,
    calls: usage.calls,
  }
}

function viewStop(stop: NonNullable<Run['stop']>, delivered: boolean): RunSummaryView['stop'] {
  return { kind: stop.kind, by: stop.by, text: stop.text, at: isoTime(stop.atMs), delivered }
}

function viewCall({ kind, code, text, onTask, atMs }: NonNullable<Run['call']>): RunSummaryView['call'] {
  return { kind, code, text, on_task: onTask, at: isoTime(atMs) }
}

function viewLive(deps: Deps, run: RunSummary): RunSummaryView['live'] {
  const { yard } = deps
  const sample = yard.dispatcher?.sampleOf(run.id)
  if (sample === undefined) return null
  const lastLine = readLastLine(composeRunFiles(yard.runDir(run.id)).log, maskOf(deps, run)) ?? null
  return {
    processes: sample.processes,
    rss_bytes: sample.rssBytes,
    cpu_seconds: sample.cpuSeconds,
    // Until something was printed, the sample only knows when it began to look.
    last_output_at: lastLine === null ? null : isoTime(sample.lastOutputAtMs),
    last_line: lastLine,
  }
}
