import type { BatchReportView } from '../../api/contract/index.ts'
import { fenced } from '../../kernel/index.ts'
import { onManyLines } from '../render/visible.ts'
import { count } from '../render/words.ts'
import {
  decidingTail,
  type MarkdownBlock,
  type MarkdownSection,
  type Report,
  type ReportRow,
  reportSections,
  taskTable,
} from '../report/index.ts'
import { fitSections } from './fit-sections.ts'

export interface SummaryInput {
  readonly view: BatchReportView
  readonly report: Report
  /** How much of UTF-8 it may take. */
  readonly roomBytes: number
}

/** Output is shown of so many causes, and of each so much of its end. */
const mostTails = 10
const longestTail = 4_000

/**
 * The report as the page of a workflow shows it: what went wrong first, rows that ended well last. Where it does not fit,
 * rows are left out from the end, never the half of one, and a line says how many. Undefined where not even its headline fits.
 */
export function renderStepSummary({ view, report, roomBytes }: SummaryInput): string | undefined {
  const { headline, facts, doNow, causes, notFinished } = reportSections(report)
  const sections = [
    ...[doNow, causes].filter((one) => one !== undefined),
    ...tails(view, report),
    ...[notFinished].filter((one) => one !== undefined),
    { heading: 'Every task', blocks: [taskTable(report.rows.toSorted((a, b) => rank(a) - rank(b)))] },
  ]
  return fitSections({ start: `# ${headline}\n\n${facts}`, sections }, roomBytes)
}

const ranks: Readonly<Record<ReportRow['end'], number>> = {
  failed: 0,
  needs_you: 1,
  not_finished: 2,
  cancelled: 3,
  done: 4,
}

/** Of what is done, what nobody has checked comes first. */
const rank = ({ end, words }: ReportRow): number =>
  ranks[end] + (end === 'done' && words.includes('unchecked') ? 0 : 0.5)

/** What the first task of each cause printed at its end, so that nobody has to fetch an archive for one line. */
function tails({ tasks }: BatchReportView, { causes }: Report): readonly MarkdownSection[] {
  const blocks = causes.slice(0, mostTails).flatMap(({ id, tasks: members }): readonly MarkdownBlock[] => {
    const last = tasks.find((task) => task.id === members[0])?.all_runs.at(-1)
    const tail = last === undefined ? null : decidingTail(last)
    if (tail === null || tail.trim() === '') return []
    const whole = onManyLines(tail.trimEnd())
    const text = whole.length > longestTail ? `…${endOf(whole, longestTail)}` : whole
    return [{ kind: 'text', text: `${id}, T${members[0]}:\n\n${fenced(text)}` }]
  })
  const left = causes.length - mostTails
  const more: readonly MarkdownBlock[] = left > 0 ? [{ kind: 'text', text: `and ${count(left, 'more cause')}` }] : []
  return blocks.length === 0 ? [] : [{ heading: 'How they ended', blocks: [...blocks, ...more] }]
}

/** Never begins with the second half of a character. */
const endOf = (text: string, length: number): string => text.slice(-length).replace(/^[\udc00-\udfff]/, '')
