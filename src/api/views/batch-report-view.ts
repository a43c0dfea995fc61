import { setImmediate } from 'node:timers/promises'
import type { Batch, Board, BoardReader } from '../../board/index.ts'
import { isSettled } from '../../board/index.ts'
import type { Clock, TaskId } from '../../kernel/index.ts'
import type { BatchReportView } from '../contract/index.ts'
import { viewBatch } from './batch-view.ts'
import { summaryOf, viewRun } from './run-view.ts'
import { type TaskViewDeps, viewTaskWith } from './task-view.ts'
import { isoTime } from './time.ts'
import { viewWhys } from './why-view.ts'
import { readYardHistory } from './yard-history.ts'

type Deps = TaskViewDeps & { readonly clock: Clock }

/** Tasks that are looked at in one turn: some milliseconds, in which nobody else is served. */
const tasksAtOnce = 100

/**
 * Everything that a report of a batch says, as the JSON text of one `BatchReportView` in pieces: tasks in file order, with
 * needs, attempts and reasons. It is of one moment, however much happens while it is put together, and others are served
 * between its turns: 20,000 tasks take a second or two. Cut short when `signal` fires: nobody waits for it any more.
 */
export async function composeBatchReport(
  { board, ...deps }: Omit<Deps, 'board'> & { readonly board: Pick<Board, 'snapshot'> },
  asked: Batch,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const moment = board.snapshot()
  try {
    const of = { ...deps, board: moment }
    const batch = moment.readBatch(asked.id) ?? asked
    const rest = viewRest(of, batch)
    const pieces = [`{"tasks":[`]
    const ids = moment.taskIdsOfBatch(batch.id)
    for (let from = 0; from < ids.length; from += tasksAtOnce) {
      await setImmediate()
      if (signal.aborted) break
      const rows = viewRows(of, ids.slice(from, from + tasksAtOnce)).map((row) => JSON.stringify(row))
      pieces.push(`${from === 0 ? '' : ','}${rows.join(',')}`)
    }
    pieces.push(`],${JSON.stringify(rest).slice(1)}`)
    return pieces
  } finally {
    moment.close()
  }
}

function viewRest(deps: Deps, batch: Batch): Omit<BatchReportView, 'tasks'> {
  return { batch: viewBatch(deps, batch), ...readYardHistory(deps, batch), now: isoTime(deps.clock.nowMs()) }
}

function viewRows(deps: Deps, ids: readonly TaskId[]): BatchReportView['tasks'] {
  const board: BoardReader = deps.board
  const tasks = board.readTasks(ids)
  const attempts = board.attemptsOf(tasks)
  const needs = board.needsOfTasks(ids)
  const runs = board.runsOfTasks(ids)
  const open = tasks.filter(({ status }) => !isSettled(status)).map(({ id }) => id)
  const whys = new Map(viewWhys(deps, open).map((why) => [why.task, why]))
  return tasks.map((task) => {
    const ofTask = runs.get(task.id) ?? []
    const last = ofTask.at(-1)
    return {
      ...viewTaskWith(deps, task, { attempts: attempts.get(task.id), lastRun: last && summaryOf(last) }),
      needs: (needs.get(task.id) ?? []).map(({ task: on, when }) => ({ task: on, when })),
      all_runs: ofTask.map((run) => viewRun(deps, run)),
      why: whys.get(task.id) ?? null,
    }
  })
}
