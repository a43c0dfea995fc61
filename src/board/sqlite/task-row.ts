import { batchId, runId, taskId } from '../../kernel/index.ts'
import type { TaskStatus } from '../status.ts'
import type { StoredTask } from '../stored-task.ts'
import { maybe } from './maybe.ts'

/** As SQLite gives it; what parses it is the one place where it becomes the board's own value. */
export interface TaskRow {
  id: number
  board: string
  batch: number | null
  row_key: string | null
  key: string | null
  title: string
  kind: string
  lane: string
  status: string
  priority: number
  labels: string
  queue_group: number
  folder: string
  open_needs: number
  open_run: number | null
  failures: number
  tempfails: number
  runs: number
  reset_run: number
  not_before_ms: number | null
  hold_code: string | null
  hold_text: string | null
  hold_by: string | null
  wish: string | null
  wish_by: string | null
  wish_text: string | null
  canary: number
  created_by: string
  created_at_ms: number
  changed_at_ms: number
  settled_at_ms: number | null
  archived_at_ms: number | null
  archived_by: string | null
  review_lane: string | null
  from_review: number
  review_failures: number
  rejections: number
}

export function parseTaskRow(row: TaskRow): StoredTask {
  return {
    id: taskId(row.id),
    board: row.board,
    batch: maybe(row.batch, batchId),
    rowKey: row.row_key,
    key: row.key,
    title: row.title,
    kind: row.kind as StoredTask['kind'],
    lane: row.lane,
    status: row.status as TaskStatus,
    priority: row.priority,
    labels: JSON.parse(row.labels) as readonly string[],
    queueGroup: row.queue_group,
    folder: row.folder,
    openNeeds: row.open_needs,
    openRun: maybe(row.open_run, runId),
    failures: row.failures,
    tempfails: row.tempfails,
    runs: row.runs,
    resetRun: row.reset_run,
    notBeforeMs: row.not_before_ms,
    holdCode: row.hold_code,
    holdText: row.hold_text,
    holdBy: row.hold_by,
    wish: row.wish as StoredTask['wish'],
    wishBy: row.wish_by,
    wishText: row.wish_text,
    canary: row.canary === 1,
    createdBy: row.created_by,
    createdAtMs: row.created_at_ms,
    changedAtMs: row.changed_at_ms,
    settledAtMs: row.settled_at_ms,
    archivedAtMs: row.archived_at_ms,
    archivedBy: row.archived_by,
    reviewLane: row.review_lane,
    fromReview: row.from_review === 1,
    reviewFailures: row.review_failures,
    rejections: row.rejections,
  }
}
