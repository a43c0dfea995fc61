import type { TaskView } from '../../api/contract/index.ts'
import type { CliDeps } from '../command.ts'
import { costWords } from '../render/cost-words.ts'
import { renderTable } from '../render/table.ts'
import { ago } from '../render/times.ts'
import { count, endOf, outcomeWithCode, statusWord } from '../render/words.ts'
import { headCells, type ListLook, type Row } from './list-lines.ts'

/** Every task in one table, for `list --all`. */
export function allTaskLines(tasks: readonly TaskView[], look: ListLook): readonly string[] {
  const table = renderTable(
    tasks.map((task) => rowOf(task, look)),
    { width: look.width, shrink: [[1, 12]] },
  )
  return [...table, ...nextLine(tasks, look)]
}

/** Most people look for what went wrong; else at what came last. */
function nextLine(tasks: readonly TaskView[], { paint }: ListLook): readonly string[] {
  const next =
    tasks.find(({ status }) => status === 'blocked' || status === 'review') ??
    tasks.find(({ status }) => status === 'failed') ??
    tasks.at(-1)
  return next === undefined ? [] : [`${paint.dim('Next:')} yardmaster show T${next.id}`]
}

function rowOf(task: TaskView, look: ListLook): Row {
  const { paint, nowMs } = look
  return [
    ...headCells(task, look),
    { text: statusWord(task, nowMs), paint: statusPaint(task.status, paint) },
    { text: task.runs === 0 ? '' : count(task.runs, 'attempt'), paint: paint.dim },
    { text: `${ago(task.changed_at, nowMs)} ago`, paint: paint.dim },
    { text: howItEnded(task) },
  ]
}

/** The end of its last attempt where that says more than the status. */
function howItEnded({ last_run, status }: TaskView): string {
  if (last_run === null || last_run.outcome === null) return ''
  // One that waited for its review and is done has been approved since.
  const isApproved = last_run.outcome === 'review' && status === 'done'
  const how = last_run.outcome === status || isApproved ? [] : [outcomeWithCode(last_run.outcome)]
  const end = last_run.exit_code === 0 ? undefined : endOf(last_run)
  const cost = costWords(last_run.cost_usd)
  return [...how, ...(end === undefined ? [] : [end]), ...(cost === undefined ? [] : [cost])].join(', ')
}

/** The colour of a status, the same in every listing. */
export function statusPaint(status: string, paint: CliDeps['paint']): (text: string) => string {
  if (status === 'done') return paint.green
  if (status === 'failed') return paint.red
  if (status === 'blocked' || status === 'review') return paint.yellow
  return status === 'running' ? paint.cyan : (text) => text
}
