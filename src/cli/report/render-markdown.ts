import type { Report } from './build-report.ts'
import { type MarkdownSection, renderBlock } from './markdown-block.ts'
import { reportSections } from './report-sections.ts'

/** The report as Markdown that also reads well as plain text: its tables are padded. */
export function renderMarkdown(report: Report): string {
  const { headline, facts, doNow, causes, notFinished, tasks, lookCloser } = reportSections(report)
  const sections = [doNow, causes, notFinished, tasks, lookCloser].filter((one) => one !== undefined)
  return `${[`# ${headline}`, facts, ...sections.flatMap(renderSection)].join('\n\n')}\n`
}

const renderSection = ({ heading, blocks }: MarkdownSection): readonly string[] => [
  `## ${heading}`,
  ...blocks.map(renderBlock),
]
