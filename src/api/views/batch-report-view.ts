import type { Batch, Task } from '../../board/index.ts'
import { isSettled } from '../../board/index.ts'
import type { Clock } from '../../kernel/index.ts'
import type { BatchReportView } from '../contract/index.ts'
import { viewBatch } from './batch-view.ts'
import { viewRun } from './run-view.ts'
import { type TaskViewDeps, viewTask } from './task-view.ts'
import { isoTime } from './time.ts'
import { viewWhy } from './why-view.ts'
import { readYardHistory } from './yard-history.ts'

const rowsAtOnce = 1_000

type Deps = TaskViewDeps & { readonly clock: Clock }

/** Everything that a report of a batch says, in one answer: tasks in file order, with needs, attempts and reasons. */
export function viewBatchReport(deps: Deps, batch: Batch): BatchReportView {
  const tasks = tasksOf(deps, batch)
  return {
    batch: viewBatch(deps, batch),
    tasks: tasks.map((task) => ({
      ...viewTask(deps, task),
      needs: deps.board.needsOf(task.id).map(({ task: on, when }) => ({ task: on, when })),
      all_runs: deps.board.runsOf(task.id).map((run) => viewRun(deps, run)),
      why: isSettled(task.status) ? null : viewWhy(deps, task.id),
    })),
    ...readYardHistory(deps, batch),
    now: isoTime(deps.clock.nowMs()),
  }
}

/** Ids grow in the order of the file; the board lists by priority first. */
function tasksOf({ board }: Deps, batch: Batch): readonly Task[] {
  const tasks: Task[] = []
  for (let after: string | undefined; ; ) {
    const page = board.listTasks({ batch: batch.id }, { limit: rowsAtOnce, ...(after === undefined ? {} : { after }) })
    tasks.push(...page.rows)
    if (page.next === undefined) return tasks.sort((a, b) => a.id - b.id)
    after = page.next
  }
}
