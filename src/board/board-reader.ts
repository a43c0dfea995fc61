import type { BatchId, RunId, TaskId } from '../kernel/index.ts'
import type { Attachment } from './attachment.ts'
import type { Batch, BatchCounts } from './batch.ts'
import type { Change } from './change.ts'
import type { BoardEvent } from './events.ts'
import type { Explanation, HubPresence } from './explain.ts'
import type { Hold } from './hold.ts'
import type { Run, RunSummary } from './run.ts'
import type { Stage } from './stage.ts'
import type { TaskStatus } from './status.ts'
import type { Need, Task, TaskSpec } from './task.ts'

export interface TaskFilter {
  readonly board?: string
  readonly batch?: BatchId
  readonly lane?: string
  readonly label?: string
  /** Exact duplicate key or row key: the command line's KEY targets. */
  readonly key?: string
  readonly status?: readonly TaskStatus[]
  /** Archived cards; left out unless asked for, and unless cards are named by id or key. */
  readonly archived?: 'without' | 'only' | 'with'
  readonly ids?: readonly TaskId[]
}

export interface Page<Row> {
  readonly rows: readonly Row[]
  /** Opaque; absent on the last page. */
  readonly next?: string
}

/** What everybody may ask the board. Changes nothing. */
export interface BoardReader {
  readTask(id: TaskId): Task | undefined
  readSpec(id: TaskId): TaskSpec | undefined
  needsOf(id: TaskId): readonly (Need & { readonly status: TaskStatus; readonly title: string })[]
  childrenOf(id: TaskId): readonly TaskId[]
  /** In claim order: priority, then id (C130). */
  listTasks(filter: TaskFilter, page: { readonly limit: number; readonly after?: string }): Page<Task>
  readRun(id: RunId): Run | undefined
  /** Oldest first, all of them with what they left: for one card, not for lists. */
  runsOf(task: TaskId): readonly Run[]
  /** The newest one. */
  lastRun(task: TaskId): Run | undefined
  /** The newest of each of these tasks that has one. For lists. */
  lastRuns(tasks: readonly TaskId[]): ReadonlyMap<TaskId, RunSummary>
  /** Stages of an attempt beside its work, oldest first. */
  stagesOf(run: RunId): readonly Stage[]
  /** What an attempt changed in its repository; undefined where nothing was recorded. */
  changeOf(run: RunId): Change | undefined
  /** The same of many; those without are absent. */
  changesOf(runs: readonly RunId[]): ReadonlyMap<RunId, Change>
  /** Of the newest attempt that left one. */
  lastChangeOf(task: TaskId): Change | undefined
  attachmentsOf(task: TaskId): readonly Attachment[]
  readAttachment(id: number): Attachment | undefined
  /** Whether a file of the attachment store belongs to a card or a change; one that does not may be removed. */
  isFileUsed(sha256: string): boolean
  /** How often each of these tasks may fail: as it says, else its batch, else built in. Lanes and boards do not say it. */
  attemptsOf(tasks: readonly Task[]): ReadonlyMap<TaskId, number>
  /** All tasks of a batch in the order of its file, to be read some at a time. */
  taskIdsOfBatch(id: BatchId): readonly TaskId[]
  /** Those of them that there are, in the order of their ids. */
  readTasks(ids: readonly TaskId[]): readonly Task[]
  /** What some tasks need, and their attempts, oldest first, with what they left; a task without any is absent. For reports. */
  needsOfTasks(ids: readonly TaskId[]): ReadonlyMap<TaskId, readonly Need[]>
  runsOfTasks(ids: readonly TaskId[]): ReadonlyMap<TaskId, readonly Run[]>
  readBatch(id: BatchId): Batch | undefined
  findBatch(name: string): Batch | undefined
  listBatches(page: { readonly limit: number; readonly after?: string }): Page<Batch>
  batchCounts(id: BatchId): BatchCounts
  /** Kept counts by status, for one board or all, as lists show them: `archived` ones are counted apart. */
  counts(board?: string): Readonly<Record<TaskStatus | 'archived', number>>
  comments(task: TaskId): readonly { readonly atMs: number; readonly by: string; readonly text: string }[]
  eventsAfter(
    seq: number,
    limit: number,
    filter?: { readonly task?: TaskId; readonly batch?: BatchId },
  ): readonly BoardEvent[]
  /** Only those about the yard as a whole: hubs, adopted attempts, holds, accounts. */
  yardEventsAfter(seq: number, limit: number): readonly BoardEvent[]
  lastSeq(): number
  /** When a hub last did something here; null: never. */
  lastHubMs(): number | null
  /** Lanes for which something could start now if nothing held it: their own cards, and those that they review. */
  lanesToClaim(): ReadonlySet<string>
  holds(): readonly Hold[]
  explainTask(id: TaskId, hub: HubPresence): Explanation
  /** The same for many, looking at the yard once: answers in the order of `ids`. */
  explainTasks(ids: readonly TaskId[], hub: HubPresence): readonly Explanation[]
  /**
   * Host of a run that another machine than this home's has started: the home was copied or moved. Null for our own. Such a
   * run is neither looked for nor signalled here, and takes no slot; only a person can let its task go.
   */
  hostElsewhere(run: Pick<Run, 'machine' | 'hub'>): string | null
}
