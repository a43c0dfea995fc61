import type { Task, TaskPatch } from '../../board/index.ts'
import { taskId } from '../../kernel/index.ts'
import type { EditTaskBody } from '../contract/index.ts'
import type { YardView } from '../yard-view.ts'
import { badRequest } from './bad-request.ts'
import { pickLane } from './pick-lane.ts'
import { settingsFromBody, withoutUndefined } from './settings-from-body.ts'
import { titleOrThrow, wallTimeMs } from './task-from-body.ts'

type Deps = { readonly yard: Pick<YardView, 'lanes' | 'refuseFolder'>; readonly nowMs: number }

export interface EditedCard {
  readonly task: Task
  /** What `here` means for it. */
  readonly dir: string
}

/** An edit of a card, ready for the board. It keeps its kind: what waits for a prompt is not made a command. */
export function patchFromBody({ yard, nowMs }: Deps, body: EditTaskBody, { task, dir }: EditedCard): TaskPatch {
  const { title, prompt, run, start_after, lane, priority, labels, add_needs, remove_needs, ...settings } = body
  const other = task.kind === 'prompt' ? 'run' : 'prompt'
  if (body[other] !== undefined) {
    const says = `cannot be given to a task that has a ${task.kind}`
    throw badRequest({ path: other, says, fix: 'cancel it and add a new one' })
  }
  const spec = {
    ...settingsFromBody(settings, ''),
    ...withoutUndefined({ prompt, run, labels }),
    ...(title === undefined ? {} : { title: titleOrThrow(title, 'title') }),
  }
  const { workspace } = spec
  const refused = workspace === undefined ? undefined : yard.refuseFolder({ kind: task.kind, workspace, dir })
  if (refused !== undefined) throw refused
  const question = { kind: task.kind, task: lane, defaults: undefined, board: undefined, where: 'this task' }
  return {
    ...(Object.keys(spec).length === 0 ? {} : { spec }),
    ...(lane === undefined ? {} : { lane: pickLane(yard.lanes(), question) }),
    ...withoutUndefined({ priority }),
    ...(start_after === undefined ? {} : { notBeforeMs: wallTimeMs(start_after, nowMs, 'start_after') }),
    ...(add_needs === undefined
      ? {}
      : { addNeeds: add_needs.map((need) => ({ task: taskId(need.task), when: need.when })) }),
    ...(remove_needs === undefined ? {} : { removeNeeds: remove_needs.map(taskId) }),
  }
}
