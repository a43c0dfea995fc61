import type { Redactor } from '../../kernel/index.ts'
import { writeReport } from '../../runs/index.ts'
import { buildReport, type ReportInput } from './build-report.ts'

/** Writes the run report. Loaded at the end of a worker only, so that its start does not pay for it. */
export function leaveReport(deps: { readonly redact: Redactor; readonly nowMs: number }, input: ReportInput): void {
  writeReport(input.board.reportFile, buildReport(deps, input))
}
