export { buildReport, type Report } from './build-report.ts'
export { homeNote } from './home-note.ts'
export type { MarkdownBlock, MarkdownSection } from './markdown-block.ts'
export { verdictOf } from './render-junit.ts'
export { renderMarkdown } from './render-markdown.ts'
export { writeReportFiles } from './report-files.ts'
export { reportJson } from './report-json.ts'
export { patchesOfBatch, patchFolder, type ReportPatch } from './report-patches.ts'
export {
  decidingTail,
  doneWords,
  isUnchanged,
  lastLineOf,
  linesOf,
  type ReportRow,
  unusedReport,
} from './report-row.ts'
export { countWords, reportSections } from './report-sections.ts'
export { sinceView } from './since-view.ts'
export { taskTable } from './task-table.ts'
