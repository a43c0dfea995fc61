import type { NewTask, TaskSettings, TaskSpec } from '../../board/index.ts'
import { taskId } from '../../kernel/index.ts'
import { type BatchTaskBody, type NewTaskBody, normaliseTitle, parseWallTime, titleFrom } from '../contract/index.ts'
import type { YardView } from '../yard-view.ts'
import { badRequest } from './bad-request.ts'
import { pickLane } from './pick-lane.ts'
import { type CardYard, refuseCard } from './refuse-card.ts'
import { settingsFromBody, withoutUndefined } from './settings-from-body.ts'

type Deps = { readonly yard: CardYard & Pick<YardView, 'boardLane'>; readonly nowMs: number }

/** The folder that `here` means, and what git found around it. */
export type Around = Pick<TaskSpec, 'dir' | 'repo' | 'repoBranch'>

/** Of a body that says it. */
export const aroundOf = ({ dir, repo, repo_branch }: Pick<NewTaskBody, 'dir' | 'repo' | 'repo_branch'>): Around => ({
  dir,
  ...withoutUndefined({ repo, repoBranch: repo_branch }),
})

/** What surrounds a card: the batch's defaults, or nothing. */
export interface CardPlace {
  readonly board: string
  readonly around: Around
  /** Where it stands in the body: `tasks[3]`, or empty. */
  readonly path: string
  readonly defaults?: {
    readonly lane?: string
    readonly priority?: number
    readonly labels?: readonly string[]
    readonly settings: TaskSettings
  }
}

/** One card of `POST /tasks`, ready for the board. */
export function taskFromBody(deps: Deps, body: NewTaskBody, board: string): NewTask {
  const { dir: _dir, repo: _repo, repo_branch: _branch, board: _board, key, draft, needs, ...card } = body
  return {
    ...cardFromBody(deps, card, { board, around: aroundOf(body), path: '' }),
    ...(key === undefined ? {} : { key }),
    ...(draft === undefined ? {} : { draft }),
    ...(needs === undefined ? {} : { needs: needs.map(({ task, when }) => ({ on: taskId(task), when })) }),
  }
}

/** One row of `POST /batches`, ready for the board. */
export function rowFromBody(deps: Deps, body: BatchTaskBody, place: CardPlace): NewTask {
  const { key, needs, matrix, ...card } = body
  const task = cardFromBody(deps, card, place)
  return {
    ...task,
    spec: matrix === undefined ? task.spec : { ...task.spec, matrix },
    rowKey: key,
    ...(needs === undefined ? {} : { needs: needs.map((need) => ({ on: need.task, when: need.when })) }),
  }
}

/** Fields that a single card and a row of a batch share. */
type CardBody = Omit<BatchTaskBody, 'key' | 'needs' | 'matrix'>

function cardFromBody({ yard, nowMs }: Deps, body: CardBody, place: CardPlace): NewTask {
  const { title, prompt, run, start_after, lane, priority, labels, ...settings } = body
  const { board, around, path, defaults } = place
  const at = (field: string) => (path === '' ? field : `${path}.${field}`)
  const kind = prompt === undefined ? 'run' : 'prompt'
  const work = withoutUndefined({ prompt, run })
  const ownLabels = labels ?? defaults?.labels
  const ownPriority = priority ?? defaults?.priority
  const spec: TaskSpec = {
    ...settingsFromBody(settings, path),
    title: title === undefined ? titleFrom(work) : titleOrThrow(title, at('title')),
    ...work,
    ...around,
    ...(ownLabels === undefined ? {} : { labels: ownLabels }),
  }
  const ownLane = pickLane(yard.lanes(), {
    kind,
    task: lane,
    defaults: defaults?.lane,
    board: yard.boardLane(board) ?? undefined,
    where: path === '' ? 'this task' : path,
  })
  refuseCard(yard, { spec, defaults: defaults?.settings ?? null, board, lane: ownLane, path })
  return {
    spec,
    lane: ownLane,
    ...(ownPriority === undefined ? {} : { priority: ownPriority }),
    ...(start_after === undefined ? {} : { notBeforeMs: wallTimeMs(start_after, nowMs, at('start_after')) }),
  }
}

/** The title as it is stored; one that holds nothing to read is refused. */
export function titleOrThrow(title: string, path: string): string {
  const text = normaliseTitle(title)
  if (text !== '') return text
  throw badRequest({ path, says: 'holds nothing that can be read', fix: 'write a title, or leave it out' })
}

/** The moment that a wall time names. Its shape was checked; a date that is in no calendar is refused here. */
export function wallTimeMs(text: string, nowMs: number, path: string): number {
  const ms = parseWallTime(text, nowMs)
  if (ms !== undefined) return ms
  throw badRequest({
    path,
    says: `says ${text}, which is no time`,
    fix: 'write 07:30, or a date such as 2026-11-30T07:30',
  })
}
