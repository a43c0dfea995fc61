import type { Board } from '../board/index.ts'
import type { RunId, TaskId } from '../kernel/index.ts'
import { composeRunDirectory, composeRunFiles, readReport } from '../runs/index.ts'

/**
 * The reason in the report of the attempt before this one; null where there is none. A worker tells by it a host that is
 * unknown for a moment from one whose name is wrong.
 */
export function readLastReason(
  { board, home }: { readonly board: Pick<Board, 'runsOf'>; readonly home: string },
  { task, run }: { readonly task: TaskId; readonly run: RunId },
): string | null {
  const [before] = board
    .runsOf(task)
    .filter(({ id, startedAtMs }) => id < run && startedAtMs !== null)
    .sort((a, b) => b.id - a.id)
  if (before === undefined) return null
  const { report } = composeRunFiles(composeRunDirectory(home, before.id))
  try {
    const read = readReport(report, { run: before.id, fence: before.fence })
    return read.kind === 'report' ? read.report.reason : null
  } catch {
    return null // the machine is short of something: it only explains, and the attempt can begin without it
  }
}
