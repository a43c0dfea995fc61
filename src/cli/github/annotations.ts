import type { BatchReportView } from '../../api/contract/index.ts'
import { cutTo, onOneLine } from '../render/visible.ts'
import { count } from '../render/words.ts'
import { type Report, verdictOf } from '../report/index.ts'
import type { Annotation } from './workflow-command.ts'

export interface AnnotationInput {
  readonly view: BatchReportView
  readonly report: Report
  /** Where a row is about a file: its path below the checkout. */
  readonly fileOf: (rowKey: string) => string | undefined
}

/** GitHub shows that many errors and as many warnings of a step, and drops the rest without a word. */
export const mostAnnotations = 10

const longestTitle = 100
const longestMessage = 500
const mostNamed = 8

/**
 * What a batch has to say on the page of its workflow: errors first, one for each cause, the causes of most tasks before
 * others; then what needs a person, and what was not finished. At most ten; the last counts what was left out.
 */
export function planAnnotations({ view, report, fileOf }: AnnotationInput): readonly Annotation[] {
  const keys = new Map(report.rows.map(({ id, key }) => [id, key]))
  const fileOfFirst = (tasks: readonly number[]) =>
    tasks.map((id) => fileOf(keys.get(id) ?? '')).find((file) => file !== undefined)
  const causes = report.causes.map(({ id, code, says, tasks }) =>
    annotation('error', fileOfFirst(tasks), {
      title: `${id} ${count(tasks.length, 'task')} ${code}`,
      says,
      more: `${named(tasks)}. Look closer: yardmaster show T${tasks[0]}`,
    }),
  )
  const asked = report.doNow.flatMap(({ task, key, more, says, command }) => {
    // What is about the whole batch stands in the summary.
    if (task === null || key === null) return []
    const level = isError(view, report, task) ? 'error' : 'warning'
    return annotation(level, fileOf(key), {
      title: `T${task} ${key} needs you${more === 0 ? '' : `, and ${more} more`}`,
      says,
      more: command,
    })
  })
  const waiting = report.notFinished.map(({ code, says, tasks }) =>
    annotation('warning', undefined, {
      title: `${count(tasks.length, 'task')} not finished`,
      says: says === '' ? code : says,
      more: named(tasks),
    }),
  )
  const errorsFirst = [...causes, ...asked.filter(isLevel('error')), ...asked.filter(isLevel('warning')), ...waiting]
  return atMost(errorsFirst, report)
}

const isLevel =
  (level: Annotation['level']) =>
  (one: Annotation): boolean =>
    one.level === level

/** Of what needs a person: whether its end could not be found out, which JUnit counts as an error, too. */
function isError({ tasks }: BatchReportView, { rows }: Report, id: number): boolean {
  const task = tasks.find((one) => one.id === id)
  const row = rows.find((one) => one.id === id)
  return task !== undefined && row !== undefined && verdictOf(row, task) !== 'skipped'
}

function annotation(
  level: Annotation['level'],
  file: string | undefined,
  { title, says, more }: { readonly title: string; readonly says: string; readonly more: string },
): Annotation {
  const message = `${cutTo(onOneLine(says), longestMessage)}\n${cutTo(onOneLine(more), longestMessage)}`
  return { level, file, title: cutTo(onOneLine(title), longestTitle), message }
}

function named(tasks: readonly number[]): string {
  const shown = tasks.slice(0, mostNamed).map((id) => `T${id}`)
  return tasks.length > shown.length ? `${shown.join(' ')} and ${tasks.length - shown.length} more` : shown.join(' ')
}

function atMost(all: readonly Annotation[], { headline }: Report): readonly Annotation[] {
  if (all.length <= mostAnnotations) return all
  const shown = all.slice(0, mostAnnotations - 1)
  const rest = all.length - shown.length
  return [
    ...shown,
    annotation('warning', undefined, {
      title: `and ${rest} more`,
      says: headline,
      more: 'The report of the batch (report.md, and the summary of this step) has all of them.',
    }),
  ]
}
