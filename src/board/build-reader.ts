import type { Clock, TaskId } from '../kernel/index.ts'
import { getBatch } from './acts/batches.ts'
import type { Board } from './board.ts'
import type { BoardReader } from './board-reader.ts'
import type { DiskLow } from './disk-low.ts'
import { boardError } from './errors.ts'
import { explainTasks } from './explain-task.ts'
import { hostElsewhere } from './host-elsewhere.ts'
import { listTasks } from './list-tasks.ts'
import { builtInAttempts } from './resolve-settings.ts'
import type { Store } from './sqlite/store.ts'
import { taskStatuses } from './status.ts'
import { publicTask } from './stored-task.ts'
import type { Need } from './task.ts'

/** Everything that may be asked of a store: of the one that moves on, or of a moment of it. */
export function buildReader({
  store,
  clock,
  disk,
}: {
  readonly store: Store
  readonly clock: Clock
  readonly disk: () => DiskLow | null
}): BoardReader {
  return {
    readTask: (id) => optional(store.readTask(id), publicTask),
    readSpec: (id) => store.readSpec(id),
    needsOf: (id) => store.needsOf(id),
    childrenOf: (id) => store.childrenOf(id).map((link) => link.task),
    listTasks: (filter, page) => listTasks({ store }, filter, page),
    readRun: (id) => store.readRun(id),
    runsOf: (task) => store.runsOf(task),
    lastRun: (task) => store.lastRunOf(task),
    lastRuns: (tasks) => new Map(store.lastRuns(tasks).map((run) => [run.task, run])),
    stagesOf: (run) => store.stagesOf(run),
    changeOf: (run) => store.changesOf([run])[0],
    changesOf: (runs) => new Map(store.changesOf(runs).map((change) => [change.run, change])),
    lastChangeOf: (task) => store.lastChangeOf(task),
    attachmentsOf: (task) => store.attachmentsOf(task),
    readAttachment: (id) => store.readAttachment(id),
    isFileUsed: (sha256) => store.isFileUsed(sha256),
    attemptsOf: (tasks) => {
      const said = new Map(store.attemptsOf(tasks.map(({ id }) => id)).map(({ id, attempts }) => [id, attempts]))
      return new Map(tasks.map(({ id, kind }) => [id, said.get(id) ?? builtInAttempts(kind)]))
    },
    taskIdsOfBatch: (batch) => store.idsOfBatch(batch),
    readTasks: (ids) => [...store.readTasks(ids).values()].map(publicTask),
    needsOfTasks: (ids) =>
      groupByTask(store.needsOfTasks(ids), (row): Need => ({ task: row.on_task, when: row.on_end })),
    runsOfTasks: (ids) => groupByTask(store.runsOfTasks(ids), (run) => run),
    readBatch: (id) => store.readBatch(id)?.batch,
    findBatch: (name) => store.findLastBatch({ board: null, name })?.batch,
    listBatches: ({ limit, after }) => {
      const rows = store.listBatches({ before: parseBatchCursor(after), limit: limit + 1 }).map(({ batch }) => batch)
      const page = rows.slice(0, limit)
      const last = page.at(-1)
      return rows.length > limit && last !== undefined ? { rows: page, next: String(last.id) } : { rows: page }
    },
    batchCounts: (id) => {
      const rows = store.countBatchTasks({ batch: getBatch({ store }, id).batch.id })
      const kept = (of: 'tasks' | 'archived') =>
        Object.fromEntries(rows.flatMap((row) => (row[of] > 0 ? [[row.status, row[of]]] : [])))
      return {
        total: rows.reduce((sum, row) => sum + row.tasks, 0),
        byStatus: kept('tasks'),
        archived: kept('archived'),
      }
    },
    counts: (board) => {
      const none = Object.fromEntries(taskStatuses.map((status) => [status, 0]))
      const rows = store.countBoardTasks({ board: board ?? null })
      const listed = Object.fromEntries(rows.map(({ status, tasks, archived }) => [status, tasks - archived]))
      const archived = rows.reduce((sum, row) => sum + row.archived, 0)
      return { ...none, ...listed, archived } as ReturnType<Board['counts']>
    },
    comments: (task) => store.commentsOf(task),
    eventsAfter: (seq, limit, { task, batch } = {}) => {
      if (task !== undefined) return store.taskEventsAfter({ seq, limit, task })
      return batch === undefined ? store.eventsAfter({ seq, limit }) : store.batchEventsAfter({ seq, limit, batch })
    },
    yardEventsAfter: (seq, limit) => store.yardEventsAfter({ seq, limit }),
    lastSeq: () => store.lastSeq({})?.seq ?? 0,
    lastHubMs: () => store.lastHubTime({})?.at_ms ?? null,
    lanesToClaim: () => new Set(store.readyGroups({}).map(({ lane }) => lane)),
    holds: () => store.listHolds(),
    explainTask: (id, hub) => {
      const [explanation] = explainTasks({ store, nowMs: clock.nowMs(), disk: disk() }, [id], hub)
      if (explanation === undefined) throw new Error(`the board had nothing to say of T${id}`)
      return explanation
    },
    explainTasks: (ids, hub) => explainTasks({ store, nowMs: clock.nowMs(), disk: disk() }, ids, hub),
    hostElsewhere: (run) => hostElsewhere(store, run),
  }
}

const optional = <In, Out>(value: In | undefined, make: (value: In) => Out): Out | undefined =>
  value === undefined ? undefined : make(value)

function groupByTask<Row extends { readonly task: TaskId }, Out>(
  rows: readonly Row[],
  make: (row: Row) => Out,
): ReadonlyMap<TaskId, readonly Out[]> {
  const groups = new Map<TaskId, Out[]>()
  for (const row of rows) {
    const group = groups.get(row.task)
    if (group === undefined) groups.set(row.task, [make(row)])
    else group.push(make(row))
  }
  return groups
}

function parseBatchCursor(after: string | undefined): number {
  if (after === undefined) return Number.MAX_SAFE_INTEGER
  if (!/^[1-9]\d{0,14}$/.test(after)) throw boardError('BOARD_BAD_CURSOR', { after })
  return Number(after)
}
