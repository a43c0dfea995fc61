import type { BatchId, RunId, TaskId } from '../../kernel/index.ts'
import type { TaskStatus } from '../status.ts'
import type { StoredTask } from '../stored-task.ts'
import type { TaskSpec } from '../task.ts'
import type { Database } from './database.ts'
import archiveTaskSql from './statements/archive-task.sql'
import attemptsOfSql from './statements/attempts-of.sql'
import deleteLabelsSql from './statements/delete-labels.sql'
import deletePendingEditSql from './statements/delete-pending-edit.sql'
import findByKeySql from './statements/find-by-key.sql'
import findOpenKeySql from './statements/find-open-key.sql'
import idsOfBatchSql from './statements/ids-of-batch.sql'
import insertLabelSql from './statements/insert-label.sql'
import insertPendingEditSql from './statements/insert-pending-edit.sql'
import insertSpecSql from './statements/insert-spec.sql'
import insertTaskSql from './statements/insert-task.sql'
import moveTaskSql from './statements/move-task.sql'
import pageOfAllSql from './statements/page-of-all.sql'
import pageOfArchivedSql from './statements/page-of-archived.sql'
import pageOfBatchSql from './statements/page-of-batch.sql'
import pageOfBoardSql from './statements/page-of-board.sql'
import pageOfLabelSql from './statements/page-of-label.sql'
import pageOfLaneSql from './statements/page-of-lane.sql'
import readPendingEditSql from './statements/read-pending-edit.sql'
import readSpecSql from './statements/read-spec.sql'
import readTaskSql from './statements/read-task.sql'
import readTasksSql from './statements/read-tasks.sql'
import rewriteSpecSql from './statements/rewrite-spec.sql'
import rewriteTaskSql from './statements/rewrite-task.sql'
import { parseTaskRow, type TaskRow } from './task-row.ts'

/** Text, lane and place of a card. */
type TaskText = {
  title: string
  kind: StoredTask['kind']
  labels: string
  lane: string
  priority: number
  queueGroup: number
  folder: string
  nowMs: number
}
type OfTask = { task: TaskId }

/** A place in claim order: everything after it is the next page. */
export type Place = {
  readonly rank: number
  readonly task: number
}

/** What a listed card must be, besides its status; null means any. */
export type PageOf = Place & {
  readonly status: TaskStatus
  readonly limit: number
  readonly board: string | null
  readonly batch: BatchId | null
  readonly lane: string | null
}
type PlaceRow = { rank: number; id: TaskId }

/** One typed function for each statement about cards. */
export function taskStatements(db: Database) {
  const readTask = db.one<OfTask, TaskRow>(readTaskSql)
  const readTasks = db.many<{ tasks: string }, TaskRow>(readTasksSql)
  const idsOfBatch = db.many<{ batch: BatchId }, { id: TaskId }>(idsOfBatchSql)
  const findOpenKey = db.one<{ board: string; key: string }, TaskRow>(findOpenKeySql)
  const readSpec = db.one<OfTask, { spec: string; digest: string }>(readSpecSql)
  const attemptsOf = db.many<{ tasks: string }, { id: TaskId; attempts: number | null }>(attemptsOfSql)
  const readPendingEdit = db.one<OfTask, { edit: string }>(readPendingEditSql)
  const parsed = (row: TaskRow | undefined): StoredTask | undefined =>
    row === undefined ? undefined : parseTaskRow(row)

  return {
    insertTask: db.insert<
      TaskText & {
        board: string
        batch: BatchId | null
        rowKey: string | null
        key: string | null
        status: TaskStatus
        openNeeds: number
        notBeforeMs: number | null
        by: string
      }
    >(insertTaskSql),
    readTask: (task: TaskId) => parsed(readTask({ task })),
    readTasks: (tasks: readonly TaskId[]): ReadonlyMap<TaskId, StoredTask> =>
      new Map(
        readTasks({ tasks: JSON.stringify(tasks) })
          .map(parseTaskRow)
          .map((task) => [task.id, task]),
      ),
    idsOfBatch: (batch: BatchId): readonly TaskId[] => idsOfBatch({ batch }).map(({ id }) => id),
    findByKey: db.many<{ key: string }, { id: TaskId }>(findByKeySql),
    findOpenKey: (of: { board: string; key: string }) => parsed(findOpenKey(of)),
    /** 0 when the card does not stand any more where it was read. */
    moveTask: db.change<
      OfTask & {
        fromStatus: TaskStatus
        fromRun: RunId | null
        status: TaskStatus
        openNeeds: number
        openRun: RunId | null
        failures: number
        tempfails: number
        runs: number
        resetRun: number
        notBeforeMs: number | null
        holdCode: string | null
        holdText: string | null
        holdBy: string | null
        wish: 'stop' | 'cancel' | null
        wishBy: string | null
        wishText: string | null
        canary: 0 | 1
        queueGroup: number
        reviewLane: string | null
        fromReview: 0 | 1
        reviewFailures: number
        rejections: number
        settledAtMs: number | null
        archivedAtMs: number | null
        archivedBy: string | null
        nowMs: number
      }
    >(moveTaskSql),
    /** 0 when it is not settled any more. Both null: back into sight. */
    archiveTask: db.change<OfTask & { atMs: number | null; by: string | null; nowMs: number }>(archiveTaskSql),
    rewriteTask: db.change<TaskText & OfTask>(rewriteTaskSql),
    insertSpec: db.change<OfTask & { spec: string; digest: string }>(insertSpecSql),
    rewriteSpec: db.change<OfTask & { spec: string; digest: string | null }>(rewriteSpecSql),
    readSpec: (task: TaskId): TaskSpec | undefined => {
      const row = readSpec({ task })
      return row === undefined ? undefined : (JSON.parse(row.spec) as TaskSpec)
    },
    /** Null where neither the card nor its batch says it. */
    attemptsOf: (tasks: readonly TaskId[]) => attemptsOf({ tasks: JSON.stringify(tasks) }),
    insertPendingEdit: db.change<OfTask & { edit: string }>(insertPendingEditSql),
    readPendingEdit: (task: TaskId): string | undefined => readPendingEdit({ task })?.edit,
    deletePendingEdit: db.change<OfTask>(deletePendingEditSql),
    insertLabel: db.change<OfTask & { label: string; rank: number }>(insertLabelSql),
    deleteLabels: db.change<OfTask>(deleteLabelsSql),
    pageOfArchived: db.many<PageOf & { readonly label: string | null }, PlaceRow>(pageOfArchivedSql),
    pageOfAll: db.many<PageOf, PlaceRow>(pageOfAllSql),
    pageOfBoard: db.many<PageOf, PlaceRow>(pageOfBoardSql),
    pageOfBatch: db.many<PageOf, PlaceRow>(pageOfBatchSql),
    pageOfLane: db.many<PageOf, PlaceRow>(pageOfLaneSql),
    pageOfLabel: db.many<PageOf & { readonly label: string }, PlaceRow>(pageOfLabelSql),
  }
}
