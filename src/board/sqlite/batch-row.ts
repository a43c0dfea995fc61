import { batchId } from '../../kernel/index.ts'
import type { Batch, BatchCut, BatchLimits, BatchVerdict } from '../batch.ts'
import type { StoredBatch } from '../stored-batch.ts'
import type { TaskSettings } from '../task.ts'

/** As SQLite gives it; what parses it is the one place where it becomes the board's own value. */
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
