import { findCycle, formatTaskId, type TaskId, taskId } from '../../kernel/index.ts'
import { boardError } from '../errors.ts'
import type { CreatedTask, NewTask } from '../new-tasks.ts'
import type { TaskStatus } from '../status.ts'
import type { StoredBatch } from '../stored-batch.ts'
import { publicTask } from '../stored-task.ts'
import type { Need } from '../task.ts'
import type { Work } from '../work.ts'
import { checkLane, checkName, checkPriority, checkSpec } from './check-new-task.ts'
import { isSatisfied } from './is-satisfied.ts'
import { exclusiveFolder, placeTask, type QueuePlace } from './place-task.ts'
import { specDigest } from './spec-digest.ts'

/** All of them or none. A task whose key an open one of the board holds is answered with that one. */
export function createTasks(
  work: Work,
  { board, tasks }: { readonly board: string; readonly tasks: readonly NewTask[] },
): readonly CreatedTask[] {
  checkName('board', board)
  ensureBoard(work, board)
  checkRowKeys(tasks)
  const rows = new Map<string, TaskId>()
  const created = insertTasks(work, { board, batch: null, tasks, rows })
  return created.map(({ id, isNew }) => {
    const task = work.store.readTask(id)
    if (task === undefined) throw new Error(`${formatTaskId(id)} vanished`)
    return { task: publicTask(task), created: isNew }
  })
}

/** Makes the board when it is not there yet. */
export function ensureBoard(work: Work, board: string): void {
  if (work.store.insertBoard({ board, nowMs: work.nowMs }) === 1) {
    work.tell({ kind: 'board.created', board, text: `board ${board} begins` })
  }
}

/** Row keys are unique, and the needs between them make no circle. */
export function checkRowKeys(tasks: readonly NewTask[]): void {
  const byKey = new Map<string, NewTask>()
  for (const task of tasks) {
    if (task.rowKey === undefined) continue
    if (byKey.has(task.rowKey)) throw boardError('BOARD_ROW_KEY_TWICE', { key: task.rowKey })
    byKey.set(task.rowKey, task)
  }
  const needsOf = (key: string): readonly string[] =>
    (byKey.get(key)?.needs ?? []).map((need) => need.on).filter((on) => typeof on === 'string')
  const cycle = findCycle(byKey.keys(), needsOf)
  if (cycle !== undefined) throw boardError('BOARD_NEED_CYCLE', { cycle })
}

/**
 * Inserts the cards with their links. `rows` knows the row keys that exist already and learns the new ones. Needs on
 * tasks that exist cannot close a circle, because nothing that exists needs a new task.
 */
export function insertTasks(
  work: Work,
  {
    board,
    batch,
    tasks,
    rows,
  }: {
    readonly board: string
    readonly batch: StoredBatch['batch'] | null
    readonly tasks: readonly NewTask[]
    readonly rows: Map<string, TaskId>
  },
): readonly { readonly id: TaskId; readonly isNew: boolean }[] {
  const known = new Set([...rows.keys(), ...tasks.flatMap((task) => task.rowKey ?? [])])
  const insert = inserter(work, board, batch)
  const answers: { id: TaskId; isNew: boolean }[] = []
  const fresh: { id: TaskId; task: NewTask }[] = []

  for (const task of tasks) {
    checkSpec(task.spec)
    checkPriority(task.priority ?? 0)
    checkNeedKeys(task, known)
    const holder = task.key === undefined ? undefined : work.store.findOpenKey({ board, key: task.key })
    const id = holder?.id ?? insert(task, countOpenNeeds(work, task, rows))
    if (task.rowKey !== undefined) rows.set(task.rowKey, id)
    if (holder === undefined) fresh.push({ id, task })
    answers.push({ id, isNew: holder === undefined })
  }
  for (const { id, task } of fresh) {
    for (const need of resolveNeeds(task, rows)) {
      work.store.insertNeed({ task: id, onTask: need.task, onEnd: need.when })
    }
  }
  return answers
}

/** The needs of a task by id. Each was checked before; two links to one task become the stricter one. */
export function resolveNeeds(task: NewTask, rows: ReadonlyMap<string, TaskId>): readonly Need[] {
  const needs = new Map<TaskId, Need>()
  for (const { on, when } of task.needs ?? []) {
    const id = typeof on === 'string' ? rows.get(on) : on
    if (id === undefined) throw new Error(`row ${on} was not inserted`)
    if (needs.get(id)?.when !== 'done') needs.set(id, { task: id, when })
  }
  return [...needs.values()]
}

/** A need by row key must be one of this call or batch. */
export function checkNeedKeys(task: NewTask, known: ReadonlySet<string>): void {
  for (const { on } of task.needs ?? []) {
    if (typeof on !== 'string' || known.has(on)) continue
    const by = `the needs of "${task.rowKey ?? task.spec.title}"`
    throw boardError('BOARD_UNKNOWN_ROW', { key: on, by, known: [...known] })
  }
}

/** Rows that come later in this call are new and so open; those that exist are asked. */
function countOpenNeeds(work: Work, task: NewTask, rows: ReadonlyMap<string, TaskId>): number {
  const open = new Set<TaskId | string>()
  for (const { on, when } of task.needs ?? []) {
    const id = typeof on === 'string' ? rows.get(on) : on
    if (id === undefined) {
      open.add(on)
      continue
    }
    const status = work.store.readTask(id)?.status
    if (status === undefined) throw boardError('BOARD_NO_TASK', { task: id })
    if (!isSatisfied(status, when)) open.add(id)
  }
  return open.size
}

function inserter(work: Work, board: string, batch: StoredBatch['batch'] | null) {
  const places = new Map<string, QueuePlace>()
  const lanes = new Set<string>()
  const placeOf = (lane: string, folder: string): QueuePlace => {
    const key = `${lane} ${folder}`
    const place = places.get(key) ?? placeTask(work, { board, batch: batch?.id ?? null, lane, folder })
    places.set(key, place)
    return place
  }

  return (task: NewTask, openNeeds: number): TaskId => {
    if (!lanes.has(task.lane)) checkLane(work, task.lane)
    lanes.add(task.lane)
    const status: TaskStatus = task.draft ? 'triage' : openNeeds > 0 ? 'todo' : 'ready'
    const labels = [...new Set(task.spec.labels ?? [])]
    const priority = task.priority ?? 0
    const id = taskId(
      work.store.insertTask({
        ...placeOf(task.lane, exclusiveFolder(task.spec, batch?.defaults ?? null)),
        board,
        batch: batch?.id ?? null,
        rowKey: batch === null ? null : (task.rowKey ?? null),
        key: task.key ?? null,
        title: task.spec.title,
        kind: checkSpec(task.spec),
        labels: JSON.stringify(labels),
        lane: task.lane,
        priority,
        status,
        openNeeds,
        notBeforeMs: task.notBeforeMs !== undefined && task.notBeforeMs > work.nowMs ? task.notBeforeMs : null,
        by: work.by,
        nowMs: work.nowMs,
      }),
    )
    work.store.insertSpec({ task: id, spec: JSON.stringify(task.spec), digest: specDigest(task) })
    for (const label of labels) work.store.insertLabel({ task: id, label, rank: -priority })
    work.tell({
      kind: 'task.created',
      task: id,
      board,
      batch: batch?.id ?? null,
      text: `${formatTaskId(id)} ${task.spec.title}`,
      data: { status, lane: task.lane },
    })
    return id
  }
}
