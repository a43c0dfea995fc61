import type { Batch, BoardReader } from '../../board/index.ts'
import type { BatchView } from '../contract/index.ts'
import { isoTime, isoTimeOrNull } from './time.ts'

export function viewBatch({ board }: { readonly board: Pick<BoardReader, 'batchCounts'> }, batch: Batch): BatchView {
  const { limits, verdict } = batch
  const counts = board.batchCounts(batch.id)
  return {
    id: batch.id,
    board: batch.board,
    name: batch.name,
    key: batch.key,
    file: batch.file,
    limits: {
      slots: limits.slots ?? null,
      stop_at: isoTimeOrNull(limits.stopAtMs ?? null),
      halt: limits.halt === undefined ? null : viewHalt(limits.halt),
      first: limits.first ?? null,
      on_wall: limits.onWall,
    },
    cut: batch.cut === null ? null : { by: batch.cut, text: batch.cutText ?? '' },
    verdict: verdict === null ? null : { exit_code: verdict.exitCode, text: verdict.text },
    counts: { total: counts.total, by_status: counts.byStatus, archived: counts.archived },
    created_by: batch.createdBy,
    created_at: isoTime(batch.createdAtMs),
    ended_at: isoTimeOrNull(batch.endedAtMs),
  }
}

/** As it is written in a file: `20%`, or a number. */
function viewHalt(halt: NonNullable<Batch['limits']['halt']>): string {
  return 'share' in halt ? `${Math.round(halt.share * 100)}%` : String(halt.count)
}
