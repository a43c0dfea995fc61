import { type TaskFilter, type TaskStatus, taskStatuses } from '../../board/index.ts'
import { batchId, suggestName } from '../../kernel/index.ts'
import type { ListTasksQuery } from '../contract/index.ts'
import { badRequest } from './bad-request.ts'
import { withoutUndefined } from './settings-from-body.ts'

/** A list's query as the board's filter; statuses come with commas. */
export function taskFilterFromQuery(query: Omit<ListTasksQuery, 'limit' | 'after'>): TaskFilter {
  const { board, batch, lane, label, key, status, archived, ...unknown } = query
  unknown satisfies Record<string, never>
  return {
    ...withoutUndefined({ board, lane, label, key, archived }),
    ...(batch === undefined ? {} : { batch: batchId(batch) }),
    ...(status === undefined ? {} : { status: status.split(',').map(statusOrThrow) }),
  }
}

function statusOrThrow(text: string): TaskStatus {
  const status = taskStatuses.find((known) => known === text)
  if (status !== undefined) return status
  throw badRequest({
    path: 'status',
    says: `names no status: ${JSON.stringify(text)}`,
    fix: suggestName(text, taskStatuses),
  })
}
