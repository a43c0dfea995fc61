import type { BatchReportView, RunSummaryView } from '../../api/contract/index.ts'
import { onOneLine } from '../render/visible.ts'
import { statusWord } from '../render/words.ts'

export type ReportTask = BatchReportView['tasks'][number]

/** Where a row stands when the report is written. `not_finished`: it has not ended, and nothing of it is wrong yet. */
export type RowEnd = 'done' | 'failed' | 'needs_you' | 'cancelled' | 'not_finished'

/** One task of a report: what a person wants to know of it, in words of one line each. */
export interface ReportRow {
  readonly id: number
  readonly key: string
  /** Key of the task in the file, and the row of its matrix where it has one. */
  readonly suite: string
  readonly label: string | undefined
  readonly title: string
  readonly kind: 'prompt' | 'run'
  readonly end: RowEnd
  /** The precise code: of the last attempt, or why it does not run. */
  readonly code: string
  /** `done, unchecked`, `failed`, `needs you`, `waiting`. */
  readonly words: string
  readonly attempts: number
  /** Why it ended so, or why it has not started; empty where there is nothing to say. */
  readonly why: string
  /** Last line of what it printed; empty where it printed nothing. */
  readonly lastLine: string
  /** All attempts together; null before the first started. */
  readonly tookMs: number | null
  /** In and out of all attempts; null where no provider said. */
  readonly tokens: number | null
}

export function rowOf(task: ReportTask, nowMs: number): ReportRow {
  const end = endOf(task)
  const key = task.key ?? `T${task.id}`
  return {
    id: task.id,
    key,
    ...splitKey(key),
    title: onOneLine(task.title),
    kind: task.kind,
    end,
    code: codeOf(task, end),
    words: wordsOf(task, end, nowMs),
    attempts: task.runs,
    why: whyOf(task, end),
    lastLine: lastLineOf(task.last_run),
    tookMs: sumOrNull(task.all_runs.map((run) => lengthMs(run, nowMs))),
    tokens: sumOrNull(task.all_runs.map(tokensOf)),
  }
}

/** `lint[src/a.ts]` → suite `lint`, label `src/a.ts`; a key without brackets is its own suite. */
export function splitKey(key: string): { readonly suite: string; readonly label: string | undefined } {
  const match = /^([^[]+)\[(.*)\]$/s.exec(key)
  return match === null ? { suite: key, label: undefined } : { suite: match[1] ?? key, label: match[2] }
}

function endOf({ status }: ReportTask): RowEnd {
  switch (status) {
    case 'done':
    case 'failed':
    case 'cancelled':
      return status
    case 'blocked':
    case 'review':
      return 'needs_you'
    default:
      return 'not_finished'
  }
}

function codeOf({ status, last_run, why, hold }: ReportTask, end: RowEnd): string {
  if (end === 'not_finished') return status === 'running' ? status : (why?.code ?? status)
  if (end === 'needs_you') return last_run?.outcome ?? onOneLine(hold?.code ?? status)
  return end === 'cancelled' ? end : (last_run?.outcome ?? status)
}

/** Commands answer by their exit code. A prompt is done by what the agent said, unless a check ran (a later part). */
function wordsOf(task: ReportTask, end: RowEnd, nowMs: number): string {
  if (end === 'done') return task.kind === 'prompt' ? 'done, unchecked' : 'done'
  return statusWord(task, nowMs)
}

function whyOf({ last_run, hold, why }: ReportTask, end: RowEnd): string {
  if (end === 'done') return ''
  if (end === 'not_finished') return onOneLine(why?.says ?? '')
  if (end === 'needs_you') return onOneLine(hold?.text ?? last_run?.reason ?? '')
  return onOneLine(last_run?.reason ?? hold?.text ?? '')
}

export function lastLineOf(run: RunSummaryView | null): string {
  const lines = linesOf(run?.output_tail ?? null)
  return lines.at(-1) ?? linesOf(run?.result_tail ?? null).at(-1) ?? ''
}

/** Lines that say something, made safe for a terminal. */
export function linesOf(text: string | null): readonly string[] {
  return (text ?? '')
    .split('\n')
    .map(onOneLine)
    .filter((line) => line !== '')
}

function lengthMs({ started_at, exited_at }: RunSummaryView, nowMs: number): number | null {
  if (started_at === null) return null
  return Math.max(0, (exited_at === null ? nowMs : Date.parse(exited_at)) - Date.parse(started_at))
}

const tokensOf = ({ usage }: RunSummaryView): number | null =>
  usage === null ? null : usage.input_tokens + usage.output_tokens

/** What is unknown stays unknown: null where none of them is known, never 0. */
export function sumOrNull(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0)
}
