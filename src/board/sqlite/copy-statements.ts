import type { RunId, TaskId } from '../../kernel/index.ts'
import type { CallKind } from '../run.ts'
import type { TaskStatus } from '../status.ts'
import type { Database } from './database.ts'
import type { EndColumns } from './run-row.ts'
import countFromRunSql from './statements/count-from-run.sql'
import importRunSql from './statements/import-run.sql'
import importTaskSql from './statements/import-task.sql'
import tasksOfBoardSql from './statements/tasks-of-board.sql'
import { parseTaskRow, type TaskRow } from './task-row.ts'

/** One typed function for each statement about cards that come from another board or go to one. */
export function copyStatements(db: Database) {
  const tasksOfBoard = db.many<{ board: string; after: number; limit: number }, TaskRow>(tasksOfBoardSql)
  return {
    tasksOfBoard: (of: { board: string; after: number; limit: number }) => tasksOfBoard(of).map(parseTaskRow),
    importTask: db.insert<{
      board: string
      key: string | null
      title: string
      kind: 'prompt' | 'run'
      lane: string
      status: TaskStatus
      priority: number
      labels: string
      queueGroup: number
      folder: string
      openNeeds: number
      failures: number
      runs: number
      notBeforeMs: number | null
      holdCode: string | null
      holdText: string | null
      holdBy: string | null
      createdBy: string
      createdAtMs: number
      nowMs: number
      settledAtMs: number | null
    }>(importTaskSql),
    importRun: db.insert<
      EndColumns & {
        task: TaskId
        attempt: number
        lane: string
        account: string | null
        settings: string
        claimedAtMs: number
        exitedAtMs: number
        settledAtMs: number
        releasedBy: string | null
        callKind: CallKind | null
        callCode: string | null
        callText: string | null
        callAtMs: number | null
        nowMs: number
      }
    >(importRunSql),
    countFromRun: db.change<{ task: TaskId; run: RunId }>(countFromRunSql),
  }
}
