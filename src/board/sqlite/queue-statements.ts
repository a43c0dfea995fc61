import type { BatchId, TaskId } from '../../kernel/index.ts'
import type { Database } from './database.ts'
import canaryHeadsSql from './statements/canary-heads.sql'
import findQueueGroupSql from './statements/find-queue-group.sql'
import folderHeadsSql from './statements/folder-heads.sql'
import insertQueueSql from './statements/insert-queue.sql'
import insertQueueGroupSql from './statements/insert-queue-group.sql'
import nextDueSql from './statements/next-due.sql'
import openDueSql from './statements/open-due.sql'
import plainHeadsSql from './statements/plain-heads.sql'
import probeHeadsSql from './statements/probe-heads.sql'
import readQueueGroupSql from './statements/read-queue-group.sql'
import readyGroupsSql from './statements/ready-groups.sql'
import reviewHeadsSql from './statements/review-heads.sql'
import shortenWaitsSql from './statements/shorten-waits.sql'

/** Tasks that are held or let through together. `known` is 0 where the lane is not configured (any more). */
export interface GroupRow {
  readonly id: number
  readonly board: string
  readonly batch: BatchId | null
  readonly lane: string
  readonly ready: number
  readonly served: number
  readonly account: string | null
  readonly known: 0 | 1
}

export interface HeadRow {
  readonly task: TaskId
  readonly rank: number
  readonly folder: string
  /** 1 for a card that this group's lane is to review. */
  readonly review: 0 | 1
}

type GroupKey = { board: string; batch: BatchId | null; lane: string }
type FirstOf = { queueGroup: number; limit: number }

/** One typed function for each statement about what could start, and when. */
export function queueStatements(db: Database) {
  return {
    insertQueueGroup: db.change<GroupKey>(insertQueueGroupSql),
    findQueueGroup: db.one<GroupKey, { id: number }>(findQueueGroupSql),
    insertQueue: db.change<{ queueGroup: number; folder: string }>(insertQueueSql),
    readyGroups: db.many<Record<string, never>, GroupRow>(readyGroupsSql),
    readQueueGroup: db.one<{ queueGroup: number }, GroupRow>(readQueueGroupSql),
    folderHeads: db.many<FirstOf, HeadRow>(folderHeadsSql),
    plainHeads: db.many<FirstOf, HeadRow>(plainHeadsSql),
    canaryHeads: db.many<{ batch: BatchId; queueGroup: number }, HeadRow>(canaryHeadsSql),
    reviewHeads: db.many<FirstOf, HeadRow>(reviewHeadsSql),
    probeHeads: db.many<FirstOf, HeadRow & { tempfails: number; canary: 0 | 1 }>(probeHeadsSql),
    openDue: db.change<{ nowMs: number; limit: number }>(openDueSql),
    shortenWaits: db.change<{ latestMs: number }>(shortenWaitsSql),
    nextDue: db.one<Record<string, never>, { at_ms: number }>(nextDueSql),
  }
}
