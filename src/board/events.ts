import type { BatchId, RunId, TaskId } from '../kernel/index.ts'

/** Past facts, `noun.verb`, append-only, one sequence: live updates, audit and reports all read the same rows. */
export const eventKinds = [
  'board.created',
  'batch.created',
  'batch.resumed',
  'batch.cut',
  'batch.ended',
  'task.created',
  'task.edited',
  'task.ready',
  'task.waiting',
  'task.review',
  'task.blocked',
  'task.unblocked',
  'task.requeued',
  'task.done',
  'task.failed',
  'task.cancelled',
  'task.retried',
  'task.approved',
  'task.rejected',
  'task.commented',
  'task.attached',
  'task.wished',
  'task.archived',
  'task.unarchived',
  'need.added',
  'need.removed',
  'need.released',
  'need.kept',
  'run.claimed',
  'run.started',
  'run.stage',
  'run.changed',
  'run.stopping',
  'run.signalled',
  'run.called',
  'run.acted',
  'run.refused',
  'run.artifacts_refused',
  'run.late_call',
  'run.exited',
  'run.settled',
  'run.adopted',
  'run.survivors',
  'run.cleared',
  'run.log_shortened',
  'run.released',
  'account.closed',
  'account.opened',
  'account.probed',
  'hold.set',
  'hold.lifted',
  'hub.started',
  'hub.stopped',
  'home.moved',
  'disk.low',
  'disk.enough',
  'store.backed_up',
  'store.restored',
  'board.imported',
] as const
export type EventKind = (typeof eventKinds)[number]

export interface BoardEvent {
  /** Grows by one with each event of the store; resume a stream after it. */
  readonly seq: number
  readonly atMs: number
  readonly kind: EventKind
  readonly board: string | null
  readonly batch: BatchId | null
  readonly task: TaskId | null
  readonly run: RunId | null
  /** Who did it: a person's name, `dispatcher`, `cli`. */
  readonly by: string
  /** One sentence for people. */
  readonly text: string
  /** Small plain data; never a prompt, never a secret. */
  readonly data: Readonly<Record<string, unknown>>
}
