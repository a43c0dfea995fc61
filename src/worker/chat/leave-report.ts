import type { Redactor } from '../../kernel/index.ts'
import { writeReport } from '../../runs/index.ts'
import { buildReport } from './build-report.ts'
import type { ChatEnd, ChatProgress } from './chat-end.ts'
import type { BoardIdentity } from './parse-arguments.ts'

/** Writes the run report. Loaded at the end of a worker only, so that its start does not pay for it. */
export function leaveReport(
  deps: { readonly redact: Redactor; readonly nowMs: number },
  input: { readonly board: BoardIdentity; readonly end: ChatEnd; readonly progress: ChatProgress },
): void {
  writeReport(input.board.reportFile, buildReport(deps, input))
}
