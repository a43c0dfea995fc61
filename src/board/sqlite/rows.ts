import { batchId, runId, taskId } from '../../kernel/index.ts'
import type { Batch, BatchCut, BatchLimits, BatchVerdict } from '../batch.ts'
import type { BoardEvent, EventKind } from '../events.ts'
import type { Gate } from '../gate.ts'
import type { Hold } from '../hold.ts'
import type { Outcome } from '../outcome.ts'
import type { Run, RunPhase, StopKind } from '../run.ts'
import type { TaskStatus } from '../status.ts'
import type { StoredBatch } from '../stored-batch.ts'
import type { StoredTask } from '../stored-task.ts'
import type { TaskSettings } from '../task.ts'

/** Rows as SQLite gives them, and the one place where they become the board's own values. */

export interface TaskRow {
  id: number
  board: string
  batch: number | null
  row_key: string | null
  key: string | null
  title: string
  kind: string
  lane: string
  status: string
  priority: number
  labels: string
  queue_group: number
  folder: string
  open_needs: number
  open_run: number | null
  failures: number
  tempfails: number
  runs: number
  reset_run: number
  not_before_ms: number | null
  hold_code: string | null
  hold_text: string | null
  hold_by: string | null
  wish: string | null
  wish_by: string | null
  wish_text: string | null
  canary: number
  created_by: string
  created_at_ms: number
  changed_at_ms: number
  settled_at_ms: number | null
}

export function parseTaskRow(row: TaskRow): StoredTask {
  return {
    id: taskId(row.id),
    board: row.board,
    batch: maybe(row.batch, batchId),
    rowKey: row.row_key,
    key: row.key,
    title: row.title,
    kind: row.kind as StoredTask['kind'],
    lane: row.lane,
    status: row.status as TaskStatus,
    priority: row.priority,
    labels: JSON.parse(row.labels) as readonly string[],
    queueGroup: row.queue_group,
    folder: row.folder,
    openNeeds: row.open_needs,
    openRun: maybe(row.open_run, runId),
    failures: row.failures,
    tempfails: row.tempfails,
    runs: row.runs,
    resetRun: row.reset_run,
    notBeforeMs: row.not_before_ms,
    holdCode: row.hold_code,
    holdText: row.hold_text,
    holdBy: row.hold_by,
    wish: row.wish as StoredTask['wish'],
    wishBy: row.wish_by,
    wishText: row.wish_text,
    canary: row.canary === 1,
    createdBy: row.created_by,
    createdAtMs: row.created_at_ms,
    changedAtMs: row.changed_at_ms,
    settledAtMs: row.settled_at_ms,
  }
}

export interface BatchRow {
  id: number
  board: string
  name: string
  key: string | null
  digest: string
  file: string | null
  limits: string
  defaults: string
  canary: string
  halt_base_failed: number
  halt_base_ended: number
  cut: string | null
  cut_text: string | null
  exit_code: number | null
  verdict_text: string | null
  created_by: string
  created_at_ms: number
  ended_at_ms: number | null
}

export function parseBatchRow(row: BatchRow): StoredBatch {
  const verdict =
    row.exit_code === null || row.verdict_text === null
      ? null
      : { exitCode: row.exit_code as BatchVerdict['exitCode'], text: row.verdict_text }
  const batch: Batch = {
    id: batchId(row.id),
    board: row.board,
    name: row.name,
    key: row.key,
    digest: row.digest,
    file: row.file,
    limits: JSON.parse(row.limits) as BatchLimits,
    defaults: JSON.parse(row.defaults) as TaskSettings,
    cut: row.cut as BatchCut | null,
    cutText: row.cut_text,
    verdict,
    createdBy: row.created_by,
    createdAtMs: row.created_at_ms,
    endedAtMs: row.ended_at_ms,
  }
  return {
    batch,
    canary: row.canary as StoredBatch['canary'],
    haltBase: { failed: row.halt_base_failed, ended: row.halt_base_ended },
  }
}

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
}

export function parseRunRow(row: RunRow): Run {
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
    result: row.result,
    data: row.data,
    usage: parseUsage(row),
    claimedAtMs: row.claimed_at_ms,
    startedAtMs: row.started_at_ms,
    startedMonotonic: row.started_monotonic,
    exitedAtMs: row.exited_at_ms,
    settledAtMs: row.settled_at_ms,
  }
}

function parseStop(row: RunRow): Run['stop'] {
  const { stop_kind: kind, stop_by: by, stop_text: text, stop_at_ms: atMs } = row
  if (kind === null || by === null || text === null || atMs === null) return null
  return { kind: kind as StopKind, by, text, atMs }
}

function parseUsage(row: RunRow): Run['usage'] {
  const { input_tokens: input, cached_tokens: cached, output_tokens: output, calls } = row
  if (input === null || cached === null || output === null || calls === null) return null
  return { inputTokens: input, cachedTokens: cached, outputTokens: output, calls }
}

export interface GateRow {
  account: string
  epoch: number
  until_ms: number | null
  probe_run: number | null
  parked_by: string | null
  reason: string | null
  closed_by_run: number | null
  since_ms: number | null
  doublings: number
  opened_at_ms: number | null
}

export function parseGateRow(row: GateRow): Gate {
  return {
    account: row.account,
    epoch: row.epoch,
    untilMs: row.until_ms,
    probeRun: maybe(row.probe_run, runId),
    parkedBy: row.parked_by,
    reason: row.reason,
    closedByRun: maybe(row.closed_by_run, runId),
    sinceMs: row.since_ms,
    doublings: row.doublings,
    openedAtMs: row.opened_at_ms,
  }
}

export interface HoldRow {
  scope: string
  name: string
  kind: string
  set_by: string
  text: string | null
  since_ms: number
}

export function parseHoldRow(row: HoldRow): Hold {
  return {
    scope: row.scope as Hold['scope'],
    name: row.name === '' ? null : row.name,
    kind: row.kind as Hold['kind'],
    by: row.set_by,
    text: row.text,
    sinceMs: row.since_ms,
  }
}

export interface EventRow {
  seq: number
  at_ms: number
  kind: string
  board: string | null
  batch: number | null
  task: number | null
  run: number | null
  by: string
  text: string
  data: string
}

export function parseEventRow(row: EventRow): BoardEvent {
  return {
    seq: row.seq,
    atMs: row.at_ms,
    kind: row.kind as EventKind,
    board: row.board,
    batch: maybe(row.batch, batchId),
    task: maybe(row.task, taskId),
    run: maybe(row.run, runId),
    by: row.by,
    text: row.text,
    data: JSON.parse(row.data) as Readonly<Record<string, unknown>>,
  }
}

export const maybe = <In, Out>(value: In | null, make: (value: In) => Out): Out | null =>
  value === null ? null : make(value)
