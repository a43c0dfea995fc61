import { findCycle, formatTaskId, type TaskId } from '../../kernel/index.ts'
import type { TaskPatch } from '../board.ts'
import { boardError } from '../errors.ts'
import type { StoredTask } from '../stored-task.ts'
import type { Need, TaskSettings, TaskSpec } from '../task.ts'
import type { Work } from '../work.ts'
import { checkLane, checkPriority, checkSpec } from './check-new-task.ts'
import { getTask } from './get-task.ts'
import { isSatisfied } from './is-satisfied.ts'
import { moveTask, setOpenNeeds } from './move-task.ts'
import { exclusiveFolder, placeTask, queueLane } from './place-task.ts'

/** Changes a card that is not running. Links are checked for circles before anything is written. */
export function editTask(work: Work, id: TaskId, patch: TaskPatch): StoredTask {
  const task = getTask(work, id)
  if (task.openRun !== null) throw boardError('BOARD_TASK_RUNNING', { task: id, run: task.openRun, act: 'edited' })
  checkLinks(work, id, patch)

  const spec = patchSpec(work.store.readSpec(id), patch.spec)
  const edited = rewriteTask(work, task, {
    spec,
    lane: patch.lane ?? task.lane,
    priority: patch.priority ?? task.priority,
  })
  const timed =
    patch.notBeforeMs === undefined
      ? edited
      : moveTask(work, edited, {
          to: edited.status,
          by: 'person',
          notBeforeMs: later(patch.notBeforeMs, work.nowMs),
          ...(edited.status === 'ready' || edited.status === 'todo' ? noHold : {}), // the wait is the person's from now on
        })
  const { board, batch } = task
  work.tell({ kind: 'task.edited', task: id, board, batch, text: `${formatTaskId(id)} was edited` })
  return relink(work, timed, patch)
}

const noHold = { holdCode: null, holdText: null, holdBy: null } as const

const later = (atMs: number | null, nowMs: number): number | null => (atMs !== null && atMs > nowMs ? atMs : null)

/** A command given to a prompt card makes it a command card, and the other way round. */
function patchSpec(spec: TaskSpec | undefined, patch: Partial<TaskSpec> = {}): TaskSpec {
  if (spec === undefined) throw new Error('a card without texts')
  const { prompt, run, ...rest } = spec
  const isOther = patch.prompt !== undefined || patch.run !== undefined
  const work = isOther ? {} : { ...(prompt === undefined ? {} : { prompt }), ...(run === undefined ? {} : { run }) }
  return { ...rest, ...work, ...patch }
}

/**
 * New text, lane and priority, and the queue that follows from them. `digest` only where a batch file said so: what a
 * person edits by hand stays until the file itself says something else of the task.
 */
export function rewriteTask(
  work: Work,
  task: StoredTask,
  {
    spec,
    lane,
    priority,
    digest,
  }: { readonly spec: TaskSpec; readonly lane: string; readonly priority: number; readonly digest?: string },
): StoredTask {
  if (lane !== task.lane) checkLane(work, lane)
  checkPriority(priority)
  const kind = checkSpec(spec)
  const labels = [...new Set(spec.labels ?? [])]
  const { id, board, batch } = task
  const folder = exclusiveFolder(spec, defaultsOf(work, task))
  const place = placeTask(work, { board, batch, lane: queueLane({ ...task, lane }), folder })
  const { title } = spec
  work.store.rewriteTask({
    ...place,
    task: id,
    title,
    kind,
    labels: JSON.stringify(labels),
    lane,
    priority,
    nowMs: work.nowMs,
  })
  work.store.rewriteSpec({ task: id, spec: JSON.stringify(spec), digest: digest ?? null })
  work.store.deleteLabels({ task: id })
  // Labels of an archived card are found through itself; they are written when it comes back.
  const listed = task.archivedAtMs === null ? labels : []
  for (const label of listed) work.store.insertLabel({ task: id, label, rank: -priority })
  return { ...task, ...place, title, kind, labels, lane, priority, changedAtMs: work.nowMs }
}

function defaultsOf(work: Work, { batch }: StoredTask): TaskSettings | null {
  return batch === null ? null : (work.store.readBatch(batch)?.batch.defaults ?? null)
}

function checkLinks(work: Work, id: TaskId, { addNeeds = [], removeNeeds = [] }: TaskPatch): void {
  for (const need of addNeeds) getTask(work, need.task)
  const removed = new Set(removeNeeds)
  const needsOf = (node: TaskId): readonly TaskId[] => {
    const links = work.store.linksOf(node)
    return node === id ? [...links.filter((on) => !removed.has(on)), ...addNeeds.map((need) => need.task)] : links
  }
  const cycle = addNeeds.length === 0 ? undefined : findCycle([id], needsOf)
  if (cycle !== undefined) throw boardError('BOARD_NEED_CYCLE', { cycle: cycle.map(formatTaskId) })
}

function relink(work: Work, task: StoredTask, { addNeeds = [], removeNeeds = [] }: TaskPatch): StoredTask {
  const { id, board, batch } = task
  for (const onTask of removeNeeds) {
    if (work.store.deleteNeed({ task: id, onTask }) === 0) continue
    const text = `${formatTaskId(id)} no longer needs ${formatTaskId(onTask)}`
    work.tell({ kind: 'need.removed', task: id, board, batch, text, data: { needs: onTask } })
  }
  for (const { task: onTask, when } of addNeeds) {
    work.store.insertNeed({ task: id, onTask, onEnd: when })
    const text = `${formatTaskId(id)} needs ${formatTaskId(onTask)}`
    work.tell({ kind: 'need.added', task: id, board, batch, text, data: { needs: onTask, when } })
  }
  return recountNeeds(work, task)
}

/** Brings the kept number of open needs in line with the links, after links were changed. */
export function recountNeeds(work: Work, task: StoredTask): StoredTask {
  const open: readonly Need[] = work.store.needsOf(task.id).filter((need) => !isSatisfied(need.status, need.when))
  return setOpenNeeds(work, task, open.length, open.map((need) => formatTaskId(need.task)).join(', ') || 'its needs')
}
