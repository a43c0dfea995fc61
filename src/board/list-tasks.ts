import { type TaskId, taskId } from '../kernel/index.ts'
import type { Page, TaskFilter } from './board-reader.ts'
import { boardError } from './errors.ts'
import type { Store } from './sqlite/store.ts'
import type { PageOf, Place } from './sqlite/task-statements.ts'
import { taskStatuses } from './status.ts'
import { publicTask } from './stored-task.ts'
import type { Task } from './task.ts'

/**
 * One page of cards in claim order: priority, then age. Each status is walked in its own index from the cursor on and
 * the pieces are merged, so that a page costs the same wherever it lies and however many cards there are.
 */
export function listTasks(
  { store }: { readonly store: Store },
  filter: TaskFilter,
  { limit, after }: { readonly limit: number; readonly after?: string },
): Page<Task> {
  const start = after === undefined ? beforeAll : parseCursor(after)
  const few = fewIds(store, filter)
  const places = few === undefined ? readPlaces(store, filter, start, limit + 1) : placesOf(store, few, filter, start)
  const page = places.slice(0, limit)
  const stored = store.readTasks(page.map(({ task }) => taskId(task)))
  const rows = page.flatMap(({ task }) => stored.get(taskId(task)) ?? []).map(publicTask)
  const last = page.at(-1)
  return places.length > limit && last !== undefined ? { rows, next: formatCursor(last) } : { rows }
}

/** Priorities go from -9 to 9, so no card has a lower rank than this. */
const beforeAll: Place = { rank: -10, task: 0 }

function readPlaces(store: Store, filter: TaskFilter, start: Place, limit: number): readonly Place[] {
  const of = { board: filter.board ?? null, batch: filter.batch ?? null, lane: filter.lane ?? null, limit, ...start }
  const { label, archived = 'without' } = filter
  const statuses = new Set(filter.status ?? taskStatuses)
  const places = [...statuses].flatMap((status) => [
    ...(archived === 'only' ? [] : readListed(store, filter, { ...of, status })),
    ...(archived === 'without' ? [] : store.pageOfArchived({ ...of, status, label: label ?? null })),
  ])
  return places.map(({ rank, id }) => ({ rank, task: id })).sort(inClaimOrder)
}

function readListed(store: Store, { label, ...filter }: TaskFilter, page: PageOf) {
  if (label !== undefined) return store.pageOfLabel({ ...page, label })
  if (filter.batch !== undefined) return store.pageOfBatch(page)
  if (filter.lane !== undefined) return store.pageOfLane(page)
  return filter.board === undefined ? store.pageOfAll(page) : store.pageOfBoard(page)
}

/** The cards that an id or a key names, where one is asked for. */
function fewIds(store: Store, { ids, key }: TaskFilter): ReadonlySet<TaskId> | undefined {
  if (key === undefined) return ids === undefined ? undefined : new Set(ids)
  const named = store.findByKey({ key }).map((row) => row.id)
  return new Set(ids === undefined ? named : named.filter((id) => ids.includes(id)))
}

/** Those of a few cards that are also what else is asked for. */
function placesOf(store: Store, ids: ReadonlySet<TaskId>, filter: TaskFilter, start: Place): readonly Place[] {
  const { archived = 'with' } = filter // whoever names a card means it
  return [...ids]
    .flatMap((id) => store.readTask(id) ?? [])
    .filter((task) => filter.status === undefined || filter.status.includes(task.status))
    .filter((task) => filter.board === undefined || task.board === filter.board)
    .filter((task) => filter.batch === undefined || task.batch === filter.batch)
    .filter((task) => filter.lane === undefined || task.lane === filter.lane)
    .filter((task) => filter.label === undefined || task.labels.includes(filter.label))
    .filter(({ archivedAtMs }) => archived === 'with' || (archivedAtMs === null) === (archived === 'without'))
    .map((task) => ({ rank: -task.priority, task: task.id }))
    .filter((place) => inClaimOrder(start, place) < 0)
    .sort(inClaimOrder)
}

const inClaimOrder = (a: Place, b: Place): number => a.rank - b.rank || a.task - b.task

const formatCursor = ({ rank, task }: Place): string => `${rank}.${task}`

function parseCursor(after: string): Place {
  const match = /^(-?\d{1,2})\.(\d{1,15})$/.exec(after)
  if (match === null) throw boardError('BOARD_BAD_CURSOR', { after })
  return { rank: Number(match[1]), task: Number(match[2]) }
}
