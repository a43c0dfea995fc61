import { briefly, runId, taskId } from '../../kernel/index.ts'
import type { Outcome } from '../outcome.ts'
import type { CallKind, Run, RunPhase, RunSummary, StopKind } from '../run.ts'
import type { StageKind } from '../stage.ts'
import { maybe } from './maybe.ts'

/** As SQLite gives it; what parses it is the one place where it becomes the board's own value. */
export interface RunRow {
  id: number
  task: number
  batch: number | null
  attempt: number
  fence: number
  phase: string
  lane: string
  account: string | null
  folder: string
  slot: number
  probe: number
  nonce: string
  pid: number | null
  fingerprint: string | null
  settings: string
  stop_kind: string | null
  stop_by: string | null
  stop_text: string | null
  stop_at_ms: number | null
  stop_delivered: number
  rung: string | null
  outcome: string | null
  exit_code: number | null
  signal: string | null
  reason: string | null
  output_tail: string | null
  result: string | null
  data: string | null
  input_tokens: number | null
  cached_tokens: number | null
  output_tokens: number | null
  calls: number | null
  claimed_at_ms: number
  started_at_ms: number | null
  started_monotonic: string | null
  exited_at_ms: number | null
  settled_at_ms: number | null
  machine: string | null
  hub: string | null
  token_hash: string | null
  call_kind: string | null
  call_code: string | null
  call_text: string | null
  call_data: string | null
  call_at_ms: number | null
  call_on_task: number | null
  heartbeat_at_ms: number | null
  late_calls: number
  peak_rss_bytes: number | null
  cpu_seconds: number | null
  released_by: string | null
  pruned_at_ms: number | null
  stage: string
  stage_over: number
  judged: string | null
  claimed_from: string
}

/** What is written of an end: outcome, evidence and use. A type, since values of statements are records. */
export type EndColumns = {
  outcome: Outcome
  exitCode: number | null
  signal: string | null
  reason: string
  outputTail: string | null
  result: string | null
  data: string | null
  inputTokens: number | null
  cachedTokens: number | null
  outputTokens: number | null
  calls: number | null
  peakRssBytes: number | null
  cpuSeconds: number | null
}

/** All but what an attempt left. */
type RunFields = Omit<RunRow, 'result' | 'data' | 'judged'>

/** What lists read of an attempt. */
export interface RunSummaryRow extends RunFields {
  result_tail: string | null
}

export function parseRunRow(row: RunRow): Run {
  return { ...parseFields(row), result: row.result, data: row.data, judged: row.judged }
}

export function parseRunSummaryRow(row: RunSummaryRow): RunSummary {
  const fields = parseFields(row)
  const call = fields.call === null ? null : { ...fields.call, text: briefly(fields.call.text) }
  return { ...fields, call, resultTail: row.result_tail }
}

function parseFields(row: RunFields): Omit<Run, 'result' | 'data' | 'judged'> {
  return {
    id: runId(row.id),
    task: taskId(row.task),
    attempt: row.attempt,
    fence: row.fence,
    phase: row.phase as RunPhase,
    lane: row.lane,
    account: row.account,
    slot: row.slot,
    probe: row.probe === 1,
    nonce: row.nonce,
    pid: row.pid,
    fingerprint: row.fingerprint,
    settings: row.settings,
    stop: parseStop(row),
    stopDelivered: row.stop_delivered === 1,
    rung: row.rung as Run['rung'],
    outcome: row.outcome as Outcome | null,
    exitCode: row.exit_code,
    signal: row.signal,
    reason: row.reason,
    outputTail: row.output_tail,
    usage: parseUsage(row),
    spent: parseSpent(row),
    claimedAtMs: row.claimed_at_ms,
    startedAtMs: row.started_at_ms,
    startedMonotonic: row.started_monotonic,
    exitedAtMs: row.exited_at_ms,
    settledAtMs: row.settled_at_ms,
    machine: row.machine,
    hub: row.hub,
    tokenHash: row.token_hash,
    call: parseCall(row),
    heartbeatAtMs: row.heartbeat_at_ms,
    lateCalls: row.late_calls,
    peakRssBytes: row.peak_rss_bytes,
    cpuSeconds: row.cpu_seconds,
    releasedBy: row.released_by,
    prunedAtMs: row.pruned_at_ms,
    stage: row.stage as StageKind,
    stageOver: row.stage_over === 1,
    claimedFrom: row.claimed_from as Run['claimedFrom'],
  }
}

function parseStop(row: RunFields): Run['stop'] {
  const { stop_kind: kind, stop_by: by, stop_text: text, stop_at_ms: atMs } = row
  if (kind === null || by === null || text === null || atMs === null) return null
  return { kind: kind as StopKind, by, text, atMs }
}

function parseCall(row: RunFields): Run['call'] {
  const { call_kind: kind, call_code: code, call_text: text, call_at_ms: atMs } = row
  if (kind === null || text === null || atMs === null) return null
  return { kind: kind as CallKind, code, text, data: row.call_data, onTask: maybe(row.call_on_task, taskId), atMs }
}

/** `exit-run` writes it; of most attempts there is none, and their settings need not be parsed. */
function parseSpent({ settings }: RunFields): Run['spent'] {
  if (!settings.includes('"spent":')) return null
  const { spent = null } = JSON.parse(settings) as { readonly spent?: Run['spent'] }
  return spent
}

function parseUsage(row: RunFields): Run['usage'] {
  const { input_tokens: input, cached_tokens: cached, output_tokens: output, calls } = row
  if (input === null || cached === null || output === null || calls === null) return null
  return { inputTokens: input, cachedTokens: cached, outputTokens: output, calls }
}
