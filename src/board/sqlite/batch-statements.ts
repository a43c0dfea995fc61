import type { BatchId, TaskId } from '../../kernel/index.ts'
import type { BatchCut } from '../batch.ts'
import type { TaskStatus } from '../status.ts'
import type { StoredBatch } from '../stored-batch.ts'
import type { StoredTask } from '../stored-task.ts'
import { type BatchRow, parseBatchRow } from './batch-row.ts'
import type { Database } from './database.ts'
import { maybe } from './maybe.ts'
import batchRowsSql from './statements/batch-rows.sql'
import countBatchTasksSql from './statements/count-batch-tasks.sql'
import countCanariesSql from './statements/count-canaries.sql'
import cutBatchSql from './statements/cut-batch.sql'
import detachTaskSql from './statements/detach-task.sql'
import endBatchSql from './statements/end-batch.sql'
import findBatchByKeySql from './statements/find-batch-by-key.sql'
import findLastBatchSql from './statements/find-last-batch.sql'
import findLastKeylessBatchSql from './statements/find-last-keyless-batch.sql'
import forgetCanariesSql from './statements/forget-canaries.sql'
import groupsOfBatchSql from './statements/groups-of-batch.sql'
import insertBatchSql from './statements/insert-batch.sql'
import listBatchesSql from './statements/list-batches.sql'
import nextBatchStopSql from './statements/next-batch-stop.sql'
import openBatchTasksSql from './statements/open-batch-tasks.sql'
import openBatchesSql from './statements/open-batches.sql'
import outsideStuckSql from './statements/outside-stuck.sql'
import outsideWorkSql from './statements/outside-work.sql'
import passCanarySql from './statements/pass-canary.sql'
import readBatchSql from './statements/read-batch.sql'
import reopenBatchSql from './statements/reopen-batch.sql'
import resumeBatchSql from './statements/resume-batch.sql'
import rewriteBatchSql from './statements/rewrite-batch.sql'
import { parseTaskRow, type TaskRow } from './task-row.ts'

/** What a batch's file says of it as a whole. */
type BatchText = {
  digest: string
  file: string | null
  limits: string
  defaults: string
}
type OfBatch = { batch: BatchId }

/** One typed function for each statement about batches. */
export function batchStatements(db: Database) {
  const readBatch = db.one<OfBatch, BatchRow>(readBatchSql)
  const findByKey = db.one<{ board: string; name: string; key: string }, BatchRow>(findBatchByKeySql)
  const findLast = db.one<{ board: string | null; name: string }, BatchRow>(findLastBatchSql)
  const findLastKeyless = db.one<{ board: string; name: string; file: string | null }, BatchRow>(
    findLastKeylessBatchSql,
  )
  const listBatches = db.many<{ before: number; limit: number }, BatchRow>(listBatchesSql)
  const openBatches = db.many<Record<string, never>, BatchRow>(openBatchesSql)
  const batchRows = db.many<OfBatch, TaskRow & { digest: string }>(batchRowsSql)
  const openBatchTasks = db.many<OfBatch, TaskRow>(openBatchTasksSql)
  const parsed = (row: BatchRow | undefined): StoredBatch | undefined => maybe(row ?? null, parseBatchRow) ?? undefined

  return {
    insertBatch: db.insert<
      BatchText & { board: string; name: string; key: string | null; canary: string; by: string; nowMs: number }
    >(insertBatchSql),
    readBatch: (batch: BatchId) => parsed(readBatch({ batch })),
    findBatchByKey: (of: { board: string; name: string; key: string }) => parsed(findByKey(of)),
    findLastBatch: (of: { board: string | null; name: string }) => parsed(findLast(of)),
    findLastKeylessBatch: (of: { board: string; name: string; file: string | null }) => parsed(findLastKeyless(of)),
    listBatches: (page: { before: number; limit: number }) => listBatches(page).map(parseBatchRow),
    openBatches: () => openBatches({}).map(parseBatchRow),
    rewriteBatch: db.change<BatchText & OfBatch>(rewriteBatchSql),
    /** 1 when it had ended. */
    reopenBatch: db.change<OfBatch>(reopenBatchSql),
    resumeBatch: db.change<OfBatch & { canary: string; failed: number; ended: number }>(resumeBatchSql),
    /** 1 when it was not cut before. */
    cutBatch: db.change<OfBatch & { cut: BatchCut; text: string }>(cutBatchSql),
    /** 1 when it had no verdict. */
    endBatch: db.change<OfBatch & { exitCode: number; text: string; nowMs: number }>(endBatchSql),
    /** 1 when it was still open. */
    passCanary: db.change<OfBatch>(passCanarySql),
    countBatchTasks: db.many<OfBatch, { status: TaskStatus; tasks: number; archived: number }>(countBatchTasksSql),
    countCanaries: db.one<OfBatch, { sent: number; done: number; lost: number; going: number }>(countCanariesSql),
    forgetCanaries: db.change<OfBatch>(forgetCanariesSql),
    nextBatchStop: db.one<{ nowMs: number }, { at_ms: number | null }>(nextBatchStopSql),
    batchRows: (batch: BatchId): readonly { readonly task: StoredTask; readonly digest: string }[] =>
      batchRows({ batch }).map((row) => ({ task: parseTaskRow(row), digest: row.digest })),
    openBatchTasks: (batch: BatchId) => openBatchTasks({ batch }).map(parseTaskRow),
    groupsOfBatch: db.many<OfBatch, { lane: string; tasks: number }>(groupsOfBatchSql),
    outsideStuck: db.one<OfBatch, { found: 1 }>(outsideStuckSql),
    outsideWork: db.one<OfBatch, { found: 1 }>(outsideWorkSql),
    detachTask: db.change<{ task: TaskId; queueGroup: number }>(detachTaskSql),
  }
}
