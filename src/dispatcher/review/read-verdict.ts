import type { TerminalCall } from '../../board/index.ts'
import { type RunReport, readVerdictLine } from '../../runs/index.ts'

/** What a reviewer's attempt says of the work. */
export interface Verdict {
  readonly decision: 'approve' | 'reject'
  /** Of reject: what must change. May be empty of approve. */
  readonly text: string
}

/**
 * The verdict of an attempt that reviewed, by the first of three ways that says one: its terminal call, the field of its report, or
 * the last line of its answer (`verdict: approve`, `verdict: reject`), for agents that can do nothing but answer; then the answer
 * before that line is the text. A rejection without a word of what must change is none. Pure.
 */
export function readVerdict({
  call,
  report,
  text,
}: {
  readonly call: Pick<TerminalCall, 'kind' | 'code' | 'text'> | null
  readonly report: Pick<RunReport, 'verdict'> | null
  /** Its answer. */
  readonly text: string
}): Verdict | null {
  const said = ofCall(call) ?? report?.verdict ?? readVerdictLine(text)
  return said === null || (said.decision === 'reject' && said.text.trim() === '') ? null : said
}

function ofCall(call: Pick<TerminalCall, 'kind' | 'code' | 'text'> | null): Verdict | null {
  if (call?.kind !== 'complete') return null
  if (call.code === 'approved') return { decision: 'approve', text: call.text }
  return call.code === 'changes_requested' ? { decision: 'reject', text: call.text } : null
}
