import { formatTaskId, type TaskId } from '../../kernel/index.ts'
import { type ArchiveChildren, type Archived, archiveChildren } from '../archive.ts'
import { boardError } from '../errors.ts'
import { isSettled } from '../status.ts'
import { publicTask, type StoredTask } from '../stored-task.ts'
import type { Work } from '../work.ts'
import { recountNeeds } from './edit-task.ts'
import { getTask } from './get-task.ts'
import { isSatisfied } from './is-satisfied.ts'
import { lookAgain } from './look-again.ts'
import { moveRefused } from './move-task.ts'
import { cancel, say } from './people.ts'

/**
 * Takes a settled card out of lists; reports, `show` and counts of its batch keep it. Cards that wait for it are never
 * left to a default: with any of them, `children` must say what becomes of them, and what it said is on record (C76).
 * A second time changes nothing.
 */
export function archiveTask(work: Work, id: TaskId, children: ArchiveChildren | null): Archived {
  const task = getTask(work, id)
  refuseOpen(work, task, 'archived')
  if (task.archivedAtMs !== null) return { task: publicTask(task), children: [] }
  const waiting = waitingFor(work, id)
  if (waiting.length > 0 && children === null) {
    throw boardError('BOARD_CHILDREN_WAIT', { task: id, children: waiting.map((child) => child.id) })
  }
  const archived = setArchived(work, task)
  const names = waiting.map((child) => child.id)
  const chosen = waiting.length === 0 || children === null ? {} : { children, tasks: names }
  const what = waiting.length === 0 || children === null ? '' : `; ${list(names)} ${archiveChildren[children]}`
  tell(work, task, 'task.archived', `was archived by ${work.by}${what}`, chosen)
  const also = children === null ? [] : carryOut(work, { parent: id, waiting, children })
  return { task: publicTask(archived), children: [...names, ...also] }
}

/** Back into lists; a card that was never archived stays as it is. */
export function unarchiveTask(work: Work, id: TaskId): StoredTask {
  const task = getTask(work, id)
  if (task.archivedAtMs === null) return task
  work.store.archiveTask({ task: id, atMs: null, by: null, nowMs: work.nowMs })
  tell(work, task, 'task.unarchived', `is back in the lists, says ${work.by}`)
  return getTask(work, id)
}

interface Choice {
  readonly parent: TaskId
  readonly waiting: readonly StoredTask[]
  readonly children: ArchiveChildren
}

/** Answers what else was archived further down. */
function carryOut(work: Work, { parent, waiting, children }: Choice): readonly TaskId[] {
  const name = formatTaskId(parent)
  switch (children) {
    case 'release':
      for (const child of waiting) {
        work.store.softenNeed({ task: child.id, onTask: parent })
        tell(work, child, 'need.released', `no longer waits for ${name}, which was archived`, { needs: parent })
        recountNeeds(work, child)
      }
      return []
    case 'wait':
      for (const child of waiting) {
        tell(work, child, 'need.kept', `goes on waiting for ${name}, which was archived`, { needs: parent })
      }
      return []
    case 'archive':
      return archiveDown(work, { parent, waiting })
  }
}

/**
 * Cancels and archives cards and everything that waits for them in turn, each once: one may need several of them, and a line
 * of cards may be longer than calls may be nested. Answers those that are not among `waiting`.
 */
function archiveDown(work: Work, { parent, waiting }: Omit<Choice, 'children'>): readonly TaskId[] {
  const because = new Map(waiting.map(({ id }) => [id, parent]))
  // It grows while it is walked: what is met further down comes at its end.
  for (const [id, above] of because) {
    const child = getTask(work, id)
    refuseRunning(child, 'archived with it')
    setArchived(work, cancel(work, child, 'archived', `archived with ${formatTaskId(above)}`))
    const below = waitingFor(work, id).map((next) => next.id)
    for (const next of below) if (!because.has(next)) because.set(next, id)
    const chosen = below.length === 0 ? {} : { children: 'archive', tasks: below }
    tell(work, child, 'task.archived', `was archived with ${formatTaskId(above)}`, chosen)
  }
  lookAgain(
    work,
    [...because.keys()].map((id) => getTask(work, id)),
  )
  return [...because.keys()].slice(waiting.length)
}

/** Cards that are not over and whose need of this one is not met by how it ended. */
function waitingFor({ store }: Work, id: TaskId): readonly StoredTask[] {
  const parent = getTask({ store }, id)
  return store
    .childrenOf(id)
    .filter(({ when }) => !isSatisfied(parent.status, when))
    .map(({ task }) => getTask({ store }, task))
    .filter(({ status }) => !isSettled(status))
}

function refuseOpen(work: Work, task: StoredTask, act: string): void {
  refuseRunning(task, act)
  if (!isSettled(task.status)) throw moveRefused(work, task, act)
}

function refuseRunning({ id, openRun }: StoredTask, act: string): void {
  if (openRun !== null) throw boardError('BOARD_TASK_RUNNING', { task: id, run: openRun, act })
}

function setArchived(work: Work, { id }: StoredTask): StoredTask {
  const { nowMs, by } = work
  if (work.store.archiveTask({ task: id, atMs: nowMs, by, nowMs }) === 0) throw new Error(`${formatTaskId(id)} is open`)
  return getTask(work, id)
}

function tell(
  work: Work,
  task: StoredTask,
  kind: 'task.archived' | 'task.unarchived' | 'need.released' | 'need.kept',
  text: string,
  data: Readonly<Record<string, unknown>> = {},
): void {
  const { id, board, batch } = task
  work.tell({ task: id, board, batch, ...say(task, kind, text, data) })
}

const list = (ids: readonly TaskId[]): string => ids.map(formatTaskId).join(', ')
