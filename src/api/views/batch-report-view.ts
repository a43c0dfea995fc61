import type { Batch } from '../../board/index.ts'
import { isSettled } from '../../board/index.ts'
import type { Clock } from '../../kernel/index.ts'
import type { BatchReportView } from '../contract/index.ts'
import { viewBatch } from './batch-view.ts'
import { summaryOf, viewRun } from './run-view.ts'
import { type TaskViewDeps, viewTaskWith } from './task-view.ts'
import { isoTime } from './time.ts'
import { viewWhys } from './why-view.ts'
import { readYardHistory } from './yard-history.ts'

type Deps = TaskViewDeps & { readonly clock: Clock }

/**
 * Everything that a report of a batch says, in one answer: tasks in file order, with needs, attempts and reasons. The
 * same few questions to the board however many tasks there are, since it keeps everybody else waiting.
 */
export function viewBatchReport(deps: Deps, batch: Batch): BatchReportView {
  const { board } = deps
  const tasks = board.tasksOfBatch(batch.id)
  const attempts = board.attemptsOf(tasks)
  const needs = board.needsOfBatch(batch.id)
  const runs = board.runsOfBatch(batch.id)
  const open = tasks.filter(({ status }) => !isSettled(status)).map(({ id }) => id)
  const whys = new Map(viewWhys(deps, open).map((why) => [why.task, why]))
  return {
    batch: viewBatch(deps, batch),
    tasks: tasks.map((task) => {
      const ofTask = runs.get(task.id) ?? []
      const last = ofTask.at(-1)
      return {
        ...viewTaskWith(deps, task, { attempts: attempts.get(task.id), lastRun: last && summaryOf(last) }),
        needs: (needs.get(task.id) ?? []).map(({ task: on, when }) => ({ task: on, when })),
        all_runs: ofTask.map((run) => viewRun(deps, run)),
        why: whys.get(task.id) ?? null,
      }
    }),
    ...readYardHistory(deps, batch),
    now: isoTime(deps.clock.nowMs()),
  }
}
