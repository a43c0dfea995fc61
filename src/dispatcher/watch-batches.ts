import type { Batch } from '../board/index.ts'
import type { BatchId } from '../kernel/index.ts'
import { byDispatcher, type YardDeps } from './deps.ts'

/** Cuts the batches whose time is over and answers them: what runs of them is ended, too. Halt and canary are the board's own. */
export function cutByTime({ board, clock }: YardDeps, batches: readonly Batch[]): ReadonlySet<BatchId> {
  const nowMs = clock.nowMs()
  const over = batches.filter(
    ({ cut, limits }) => cut === null && (limits.stopAtMs ?? Number.POSITIVE_INFINITY) <= nowMs,
  )
  for (const { id } of over) board.cutBatch(id, 'time', 'its time is over', byDispatcher)
  return new Set(over.map(({ id }) => id))
}

/** Sets the verdict of those that are over. */
export function endBatches({ board, log }: YardDeps, batches: Iterable<BatchId>): void {
  for (const id of batches) {
    const verdict = board.endBatchIfOver(id)
    if (verdict === undefined) continue
    log.info('batch.ended', { batch: id, exitCode: verdict.exitCode })
  }
}
