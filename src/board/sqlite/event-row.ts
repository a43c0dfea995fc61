import { batchId, runId, taskId } from '../../kernel/index.ts'
import type { BoardEvent, EventKind } from '../events.ts'
import { maybe } from './maybe.ts'

/** As SQLite gives it; what parses it is the one place where it becomes the board's own value. */
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
