import { findCycle, formatTaskId, runId, type TaskId, taskId } from '../../kernel/index.ts'
import type { CopiedRun, CopiedTask, ImportedTask, ImportInput } from '../board-copy.ts'
import { copyError } from '../copy-errors.ts'
import { boardError } from '../errors.ts'
import { isSettled, sayStatus, type TaskStatus } from '../status.ts'
import { publicTask } from '../stored-task.ts'
import type { Work } from '../work.ts'
import { checkLane, checkName, checkPriority, checkSpec } from './check-new-task.ts'
import { ensureBoard } from './create-tasks.ts'
import { getTask } from './get-task.ts'
import { isSatisfied } from './is-satisfied.ts'
import { exclusiveFolder, placeTask } from './place-task.ts'
import { specDigest } from './spec-digest.ts'

/**
 * All cards of another board, with new numbers, or none. They stand as they stood, with these exceptions, each with a note:
 * one that ran, one whose need lies on a board that was left behind, and one of which something was left out come as
 * drafts, so that nothing starts on half of what it needs.
 */
export function importTasks(work: Work, { board, into, tasks }: ImportInput): readonly ImportedTask[] {
  checkName('board', board)
  if (into === 'new' && work.store.countBoardTasks({ board }).some((row) => row.tasks > 0)) {
    throw copyError('BOARD_IMPORT_BOARD_TAKEN', { board })
  }
  checkNumbers(tasks)
  checkKeys(work, board, tasks)
  ensureBoard(work, board)
  const statuses = new Map(tasks.map((task) => [task.from, landing(task)]))
  const ids = new Map<number, TaskId>()
  for (const task of tasks) ids.set(task.from, insert(work, board, task, statuses))
  for (const task of tasks) insertNeeds(work, task, ids)
  const text = `${tasks.length} tasks came to board ${board} from another one`
  work.tell({ kind: 'board.imported', board, text, data: { tasks: tasks.length } })
  return tasks.map((task) => ({
    from: task.from,
    task: publicTask(getTask(work, idOf(ids, task.from))),
    note: statuses.get(task.from)?.note ?? null,
  }))
}

interface Landing {
  readonly status: TaskStatus
  readonly note: string | null
}

/** How a card arrives, its needs aside. */
function landing({ status, needs, leftOut }: CopiedTask): Landing {
  if (isSettled(status) || status === 'triage') return { status, note: null }
  if (status === 'running') return { status: 'triage', note: 'it was running there' }
  const behind = needs.find(({ outside, met }) => outside && !met)
  if (behind !== undefined) {
    return { status: 'triage', note: `it needs ${formatTaskId(behind.task)} of another board, which was left behind` }
  }
  if (leftOut.length > 0) return { status: 'triage', note: `${leftOut.join(', ')} was left out of the file` }
  return { status, note: null }
}

function checkNumbers(tasks: readonly CopiedTask[]): void {
  const byNumber = new Map<number, CopiedTask>()
  for (const task of tasks) {
    if (byNumber.has(task.from)) throw copyError('BOARD_IMPORT_TWICE', { task: taskId(task.from) })
    byNumber.set(task.from, task)
  }
  for (const task of tasks) {
    for (const need of task.needs) {
      if (need.outside || byNumber.has(need.task)) continue
      throw copyError('BOARD_IMPORT_NO_NEED', { task: taskId(task.from), need: need.task })
    }
  }
  const needsOf = (number: number) =>
    (byNumber.get(number)?.needs ?? []).flatMap((need) => (need.outside ? [] : [need.task as number]))
  const cycle = findCycle([...byNumber.keys()], needsOf)
  if (cycle !== undefined) throw boardError('BOARD_NEED_CYCLE', { cycle: cycle.map((n) => formatTaskId(taskId(n))) })
}

/** At most one open card of a board holds a key, those that are there already included. */
function checkKeys({ store }: Work, board: string, tasks: readonly CopiedTask[]): void {
  const held = new Map<string, string>()
  for (const { from, key, status } of tasks) {
    if (key === null || isSettled(status)) continue
    const there = store.findOpenKey({ board, key })
    const holder = there === undefined ? held.get(key) : `${formatTaskId(there.id)} (${sayStatus(there.status)})`
    if (holder !== undefined) throw copyError('BOARD_IMPORT_KEY_TAKEN', { task: taskId(from), key, holder })
    held.set(key, `${formatTaskId(taskId(from))} of the file`)
  }
}

function insert(work: Work, board: string, task: CopiedTask, statuses: ReadonlyMap<number, Landing>): TaskId {
  const { spec, lane, key, createdBy, createdAtMs, notBeforeMs, holdCode, holdText, holdBy } = task
  const standing = statuses.get(task.from)?.status ?? 'triage'
  if (!isSettled(standing)) checkLane(work, lane)
  const openNeeds = task.needs.filter(
    (need) => !need.outside && !isSatisfied(statuses.get(need.task)?.status ?? 'triage', need.when),
  ).length
  const status = standing === 'ready' || standing === 'todo' ? (openNeeds > 0 ? 'todo' : 'ready') : standing
  const labels = [...new Set(spec.labels ?? [])]
  const priority = checkPriority(task.priority)
  const kept = isSettled(status) || status === 'blocked' || status === 'review'
  const id = taskId(
    work.store.importTask({
      ...placeTask(work, { board, batch: null, lane, folder: exclusiveFolder(spec, null) }),
      ...{ board, key, lane, status, priority, openNeeds, createdBy, createdAtMs },
      title: spec.title,
      kind: checkSpec(spec),
      labels: JSON.stringify(labels),
      failures: task.failures,
      runs: task.runs.reduce((most, { attempt }) => Math.max(most, attempt), 0),
      notBeforeMs: notBeforeMs !== null && notBeforeMs > work.nowMs ? notBeforeMs : null,
      ...(kept ? { holdCode, holdText, holdBy } : { holdCode: null, holdText: null, holdBy: null }),
      settledAtMs: isSettled(status) ? (task.settledAtMs ?? work.nowMs) : null,
      nowMs: work.nowMs,
    }),
  )
  work.store.insertSpec({ task: id, spec: JSON.stringify(spec), digest: specDigest({ spec, lane, priority }) })
  for (const label of labels) work.store.insertLabel({ task: id, label, rank: -priority })
  if (isSettled(status) && task.archivedAtMs !== null) {
    const { archivedAtMs: atMs, archivedBy } = task
    work.store.archiveTask({ task: id, atMs, by: archivedBy ?? work.by, nowMs: work.nowMs })
  }
  for (const { atMs, by, text } of task.comments) work.store.insertComment({ task: id, nowMs: atMs, by, text })
  insertRuns(work, id, task.runs)
  return id
}

/** What they count for was counted where they ran: caps begin anew. */
function insertRuns(work: Work, task: TaskId, runs: readonly CopiedRun[]): void {
  let last: number | undefined
  for (const { usage, call, spent, ...run } of runs) {
    const { inputTokens = null, cachedTokens = null, outputTokens = null, calls = null } = usage ?? {}
    const tokens = { inputTokens, cachedTokens, outputTokens, calls }
    const { kind: callKind = null, code: callCode = null, text: callText = null, atMs: callAtMs = null } = call ?? {}
    const said = { callKind, callCode, callText, callAtMs }
    const settings = spent === null ? '{}' : JSON.stringify({ spent })
    last = work.store.importRun({ ...run, ...tokens, ...said, settings, task, nowMs: work.nowMs })
  }
  if (last !== undefined) work.store.countFromRun({ task, run: runId(last) })
}

/** Met ones on a board that was left behind say nothing here. */
function insertNeeds(work: Work, { from, needs }: CopiedTask, ids: ReadonlyMap<number, TaskId>): void {
  for (const need of needs) {
    if (need.outside) continue
    work.store.insertNeed({ task: idOf(ids, from), onTask: idOf(ids, need.task), onEnd: need.when })
  }
}

function idOf(ids: ReadonlyMap<number, TaskId>, number: number): TaskId {
  const id = ids.get(number)
  if (id === undefined) throw new Error(`task ${number} of the file was not inserted`)
  return id
}
