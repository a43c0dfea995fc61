import { type BatchId, formatBatchId } from '../../kernel/index.ts'
import type { BatchCut, BatchVerdict } from '../batch.ts'
import { planCut } from '../batch-cut.ts'
import { type BatchFacts, planVerdict } from '../batch-verdict.ts'
import { boardError } from '../errors.ts'
import type { TaskStatus } from '../status.ts'
import type { StoredBatch } from '../stored-batch.ts'
import { dispatcher, type Work } from '../work.ts'
import { getTask } from './get-task.ts'
import { batchCancelled, cancel, wish } from './people.ts'

type Reading = Pick<Work, 'store' | 'nowMs'>

/** The batch, or `BOARD_NO_BATCH`. */
export function getBatch({ store }: Pick<Work, 'store'>, id: BatchId): StoredBatch {
  const batch = store.readBatch(id)
  if (batch === undefined) throw boardError('BOARD_NO_BATCH', { batch: id })
  return batch
}

/** Kept counts of a batch by status; a status that no task has is absent. */
export function countTasks({ store }: Pick<Work, 'store'>, batch: BatchId): Partial<Record<TaskStatus, number>> {
  const rows = store.countBatchTasks({ batch }).filter((row) => row.tasks > 0)
  return Object.fromEntries(rows.map((row) => [row.status, row.tasks]))
}

/** Ends that count for `halt`, since the batch was last resumed. */
export function countEnds(
  work: Pick<Work, 'store'>,
  { batch, haltBase }: StoredBatch,
): { readonly failed: number; readonly ended: number } {
  const { done = 0, failed = 0, cancelled = 0 } = countTasks(work, batch.id)
  return { failed: failed - haltBase.failed, ended: done + failed + cancelled - haltBase.ended }
}

/** After ends of a batch's tasks: lets the others go when its canary is through, or cuts it. */
export function lookAtBatch(work: Work, id: BatchId): void {
  const stored = getBatch(work, id)
  const { batch, canary } = stored
  if (batch.cut !== null) return
  let passed = canary
  let canaryLost = false
  if (canary === 'open') {
    const { done = 0, lost = 0 } = work.store.countCanaries({ batch: id }) ?? {}
    canaryLost = lost > 0
    if (done >= (batch.limits.first ?? 0)) {
      work.store.passCanary({ batch: id })
      passed = 'passed'
    }
  }
  const cut = planCut(batch.limits, { ...countEnds(work, stored), canary: passed, canaryLost })
  if (cut !== undefined) cutBatch(work, id, cut.cut, cut.text)
}

/** Nothing new of it starts any more. The first reason stays. */
export function cutBatch(work: Work, id: BatchId, cut: BatchCut, text: string): void {
  const { batch } = getBatch(work, id)
  if (work.store.cutBatch({ batch: id, cut, text }) === 0) return
  const says = `${formatBatchId(id)} ${batch.name} starts nothing new: ${text}`
  work.tell({ kind: 'batch.cut', batch: id, board: batch.board, text: says, data: { cut } })
}

/** Waiting tasks are cancelled, running ones are told; what is done stays done. */
export function cancelBatch(work: Work, id: BatchId): void {
  const { batch } = getBatch(work, id)
  const open = work.store.openBatchTasks(id)
  if (open.length === 0 && batch.verdict !== null) throw boardError('BOARD_BATCH_ENDED', { batch: id })
  cutBatch(work, id, 'cancelled', `cancelled by ${work.by}`)
  // Those that need others come first, and each is read anew: the end of one may let the next go.
  for (const { id: row } of open.toReversed()) {
    const task = getTask(work, row)
    if (task.openRun === null) cancel(work, task, batchCancelled.code, `${batchCancelled.text} by ${work.by}`)
    else wish(work, task, 'cancel', batchCancelled.text)
  }
  // A batch that needed a person has ended; what it ended with is not true any more.
  if (batch.verdict !== null) work.store.reopenBatch({ batch: id })
  endBatchIfOver(work, id)
}

/** Gives the verdict when nothing of it runs and nothing will start by itself. An ended batch answers the one it has. */
export function endBatchIfOver(work: Work, id: BatchId): BatchVerdict | undefined {
  const stored = getBatch(work, id)
  const { batch } = stored
  if (batch.verdict !== null) return batch.verdict
  const verdict = planVerdict(readFacts(work, stored))
  if (verdict === undefined) return undefined
  const { exitCode, text } = verdict
  // Its account would open again and start the rest, long after somebody was told that it has ended.
  if (exitCode === 7) cutBatch(work, id, 'wall', 'only limits of accounts were left (on_wall: stop)')
  work.store.endBatch({ batch: id, exitCode, text, nowMs: work.nowMs })
  const says = `${formatBatchId(id)} ${batch.name} ended: ${text}`
  work.tell({ kind: 'batch.ended', batch: id, board: batch.board, text: says, data: { exitCode } })
  return verdict
}

function readFacts(work: Reading, { batch, canary }: StoredBatch): BatchFacts {
  const { id, cut, cutText, limits } = batch
  const byStatus = countTasks(work, id)
  const ready = sortReady(work, id, byStatus)
  const claimable = ready.free + ready.limit + ready.person
  const { sent = 0, going = 0 } = canary === 'open' ? (work.store.countCanaries({ batch: id }) ?? {}) : {}
  // Walked only where it decides: both look at every task that waits.
  const isQuiet = ready.free === 0 && (byStatus.running ?? 0) === 0 && (byStatus.todo ?? 0) > 0
  return {
    byStatus,
    cut,
    cutText,
    onWall: limits.onWall,
    ready,
    forPersons: (byStatus.review ?? 0) - Math.max(0, claimable - (byStatus.ready ?? 0)),
    outsideWork: isQuiet && cut === null && work.store.outsideWork({ batch: id }) !== undefined,
    outsideStuck: isQuiet && ready.limit > 0 && work.store.outsideStuck({ batch: id }) !== undefined,
    canaryStuck: canary === 'open' && sent >= (limits.first ?? 0) && going === 0,
  }
}

/** Ready tasks, and those that a lane is to review, by what keeps them: nothing that lasts, a limit that ends by itself, or something only a person ends. */
function sortReady(
  { store }: Reading,
  batch: BatchId,
  { ready = 0, review = 0 }: BatchFacts['byStatus'],
): BatchFacts['ready'] {
  const sorted = { free: 0, limit: 0, person: 0 }
  if (ready + review === 0) return sorted
  for (const { lane, tasks } of store.groupsOfBatch({ batch })) sorted[whatKeeps({ store }, lane)] += tasks
  return sorted
}

/**
 * A pause that a person set is theirs to lift and keeps the batch open; a lane that the hub itself holds, because its
 * program or secret is missing, will not start anything by itself.
 */
function whatKeeps({ store }: Pick<Work, 'store'>, lane: string): keyof BatchFacts['ready'] {
  const known = store.readLanes({}).find(({ name }) => name === lane)
  if (known === undefined) return store.readYard({})?.revision === 0 ? 'free' : 'person'
  if (store.listHolds().some(({ scope, name, by }) => scope === 'lane' && name === lane && by === dispatcher.by)) {
    return 'person'
  }
  const gate = known.account === null ? null : store.readGate(known.account)
  if (gate === null || gate.sinceMs === null) return 'free'
  return gate.parkedBy === null ? 'limit' : 'person'
}
