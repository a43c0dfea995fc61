import type { Task, TaskPatch, TaskSettings, TaskSpec } from '../../board/index.ts'
import { taskId } from '../../kernel/index.ts'
import type { EditTaskBody } from '../contract/index.ts'
import { badRequest } from './bad-request.ts'
import { pickLane } from './pick-lane.ts'
import { type CardYard, refuseCard } from './refuse-card.ts'
import { settingsFromBody, withoutUndefined } from './settings-from-body.ts'
import { titleOrThrow, wallTimeMs } from './task-from-body.ts'

type Deps = { readonly yard: CardYard; readonly nowMs: number }

export interface EditedCard {
  readonly task: Task
  /** As it stands. */
  readonly spec: TaskSpec
  /** Of its batch. */
  readonly defaults: TaskSettings | null
}

/** An edit of a card, ready for the board. It keeps its kind: what waits for a prompt is not made a command. */
export function patchFromBody({ yard, nowMs }: Deps, body: EditTaskBody, card: EditedCard): TaskPatch {
  const { title, prompt, run, start_after, lane, priority, labels, add_needs, remove_needs, ...settings } = body
  const { task } = card
  const other = task.kind === 'prompt' ? 'run' : 'prompt'
  if (body[other] !== undefined) {
    const says = `cannot be given to a task that has a ${task.kind}`
    throw badRequest({ path: other, says, fix: 'cancel it and add a new one' })
  }
  const patch = {
    ...settingsFromBody(settings, ''),
    ...withoutUndefined({ prompt, run, labels }),
    ...(title === undefined ? {} : { title: titleOrThrow(title, 'title') }),
  }
  const question = { kind: task.kind, task: lane, defaults: undefined, board: undefined, where: 'this task' }
  const newLane = lane === undefined ? undefined : pickLane(yard.lanes(), question)
  if (judged.some((field) => field in patch)) {
    const { board } = task
    refuseCard(yard, {
      spec: { ...card.spec, ...patch },
      defaults: card.defaults,
      board,
      lane: newLane ?? task.lane,
      path: '',
    })
  }
  return {
    ...(Object.keys(patch).length === 0 ? {} : { spec: patch }),
    ...(newLane === undefined ? {} : { lane: newLane }),
    ...withoutUndefined({ priority }),
    ...(start_after === undefined ? {} : { notBeforeMs: wallTimeMs(start_after, nowMs, 'start_after') }),
    ...(add_needs === undefined
      ? {}
      : { addNeeds: add_needs.map((need) => ({ task: taskId(need.task), when: need.when })) }),
    ...(remove_needs === undefined ? {} : { removeNeeds: remove_needs.map(taskId) }),
  }
}

/** Fields that must fit each other: an edit of anything else is not held up by what they were before. */
const judged = ['workspace', 'mayChange', 'expect', 'review'] as const satisfies readonly (keyof TaskSettings)[]
