import { type Board, readNeed } from '../board/index.ts'
import type { TaskId } from '../kernel/index.ts'
import type { NeedResult } from './lanes/lane-launch.ts'

/** What the tasks before this one left, in the order of the links. Read once, when first asked for. */
export function needsReader({ board }: { readonly board: Board }, task: TaskId): () => readonly NeedResult[] {
  let read: readonly NeedResult[] | undefined
  return () => {
    read ??= board.needsOf(task).map((need) => {
      const { left, last } = readNeed({ board }, need)
      return { ...left, output: last?.outputTail ?? null }
    })
    return read
  }
}
