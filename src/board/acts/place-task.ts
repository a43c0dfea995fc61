import type { BatchId } from '../../kernel/index.ts'
import type { StoredTask } from '../stored-task.ts'
import type { TaskSettings, TaskSpec } from '../task.ts'
import type { Work } from '../work.ts'

/** The queue a card waits in. `folder` is '' unless it needs a folder for itself. */
export interface QueuePlace {
  readonly queueGroup: number
  readonly folder: string
}

/** The folder that only one task may use at a time: `workspace: { dir }` without `shared`, by its resolved path. */
export function exclusiveFolder(spec: TaskSpec, defaults: TaskSettings | null): string {
  const workspace = spec.workspace ?? defaults?.workspace
  return workspace?.kind === 'dir' && !workspace.shared ? workspace.path : ''
}

/** The lane in whose queue a card stands: its own, or that of its reviewer while it waits for that one. */
export const queueLane = ({ status, lane, reviewLane }: Pick<StoredTask, 'status' | 'lane' | 'reviewLane'>): string =>
  status === 'review' && reviewLane !== null ? reviewLane : lane

/** Finds or makes the queue of a board, batch, lane and folder. */
export function placeTask(
  { store }: Pick<Work, 'store'>,
  {
    folder,
    ...group
  }: { readonly board: string; readonly batch: BatchId | null; readonly lane: string; readonly folder: string },
): QueuePlace {
  let found = store.findQueueGroup(group)
  if (found === undefined) {
    store.insertQueueGroup(group)
    found = store.findQueueGroup(group)
  }
  if (found === undefined) throw new Error(`no queue for ${group.board} and ${group.lane}`)
  store.insertQueue({ queueGroup: found.id, folder })
  return { queueGroup: found.id, folder }
}
