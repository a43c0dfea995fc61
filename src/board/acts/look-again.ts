import { formatBatchId, formatTaskId } from '../../kernel/index.ts'
import type { StoredTask } from '../stored-task.ts'
import type { Work } from '../work.ts'
import { endBatchIfOver, getBatch, lookAtBatch } from './batches.ts'

/**
 * After a person has ended cards, as after the end of an attempt: each batch of theirs is looked at, because a canary may be
 * through or lost by that. A verdict was said of how the batch stood then: it is given anew, or goes when the batch goes on.
 */
export function lookAgain(work: Work, ended: readonly StoredTask[]): void {
  const causes = new Map(ended.flatMap((task) => (task.batch === null ? [] : [[task.batch, task] as const])))
  for (const [id, cause] of causes) {
    lookAtBatch(work, id)
    const { batch } = getBatch(work, id)
    if (batch.verdict === null) continue
    work.store.reopenBatch({ batch: id })
    if (endBatchIfOver(work, id) !== undefined) continue
    const text = `${formatBatchId(id)} ${batch.name} goes on after ${formatTaskId(cause.id)}`
    work.tell({ kind: 'batch.resumed', batch: id, board: batch.board, text })
  }
}
