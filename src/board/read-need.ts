import type { TaskId } from '../kernel/index.ts'
import type { BoardReader } from './board-reader.ts'
import type { Outcome } from './outcome.ts'
import type { Run } from './run.ts'
import type { TaskStatus } from './status.ts'

/** What a task that another one needs left: where it stands, and what its last attempt answered. */
export interface NeedLeft {
  readonly task: TaskId
  /** Its key in the batch file, where it has one. */
  readonly key: string | null
  readonly title: string
  readonly status: TaskStatus
  /** Of its last attempt; null where it had none. */
  readonly outcome: Outcome | null
  readonly result: string | null
}

/** Reads it for one link of `needsOf`, with that last attempt for whoever wants more of it. */
export function readNeed(
  { board }: { readonly board: Pick<BoardReader, 'lastRun' | 'readTask'> },
  { task, title, status }: Pick<NeedLeft, 'task' | 'title' | 'status'>,
): { readonly left: NeedLeft; readonly last: Run | undefined } {
  const last = board.lastRun(task)
  const key = board.readTask(task)?.rowKey ?? null
  return { left: { task, key, title, status, outcome: last?.outcome ?? null, result: last?.result ?? null }, last }
}
