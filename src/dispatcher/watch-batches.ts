import type { BatchId } from '../kernel/index.ts'
import { byDispatcher, type YardDeps } from './deps.ts'

/** Cuts the batches whose time is over: they start nothing new. Halt and canary are the board's own. */
export function cutByTime({ board, clock }: YardDeps): void {
  const nowMs = clock.nowMs()
  for (const { id, cut, limits } of board.openBatches()) {
    const isOver = limits.stopAtMs !== undefined && limits.stopAtMs <= nowMs
    if (cut === null && isOver) board.cutBatch(id, 'time', 'its time is over', byDispatcher)
  }
}

/** Sets the verdict of those that are over. */
export function endBatches({ board, log }: YardDeps, batches: Iterable<BatchId>): void {
  for (const id of batches) {
    const verdict = board.endBatchIfOver(id)
    if (verdict === undefined) continue
    log.info('batch.ended', { batch: id, exitCode: verdict.exitCode })
  }
}
