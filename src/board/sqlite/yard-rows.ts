import { runId } from '../../kernel/index.ts'
import type { Gate } from '../gate.ts'
import type { Hold } from '../hold.ts'
import { maybe } from './maybe.ts'

/** As SQLite gives it; what parses it is the one place where it becomes the board's own value. */
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
