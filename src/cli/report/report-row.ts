import type { BatchReportView, ChangeView, RunSummaryView, RunView } from '../../api/contract/index.ts'
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
  /** `done, checked`, `failed`, `needs you`, `waiting`. */
  readonly words: string
  /** A check of ours has passed on it. */
  readonly checked: boolean
  /** What its newest recorded attempt left in its worktree; null: it worked in none. */
  readonly change: RowChange | null
  readonly attempts: number
  /** Why it ended so, or why it has not started; empty where there is nothing to say. */
  readonly why: string
  /** Last line of what it printed; empty where it printed nothing. */
  readonly lastLine: string
  /** All attempts together; null before the first started. */
  readonly tookMs: number | null
  /** In and out of all attempts; null where no provider said. */
  readonly tokens: number | null
  /** USD of all attempts whose cost is known; null where none is. */
  readonly costUsd: number | null
}

/** What an attempt left, with the attempt that left it. */
export interface RowChange extends ChangeView {
  readonly run: number
  readonly outcome: string | null
  readonly checked: boolean
}

export function rowOf(task: ReportTask, nowMs: number): ReportRow {
  const end = endOf(task)
  const key = task.key ?? `T${task.id}`
  const change = changeOf(task)
  const last = task.all_runs.at(-1)
  return {
    id: task.id,
    key,
    ...splitKey(key),
    title: onOneLine(task.title),
    kind: task.kind,
    end,
    code: codeOf(task, end),
    words:
      end === 'done'
        ? doneWords({ kind: task.kind, checked: last?.checked ?? false, change })
        : statusWord(task, nowMs),
    checked: last?.checked ?? false,
    change,
    attempts: task.runs,
    why: whyOf(task, end),
    lastLine: lastLineOf(last ?? null),
    tookMs: sumOrNull(task.all_runs.map((run) => lengthMs(run, nowMs))),
    tokens: sumOrNull(task.all_runs.map(tokensOf)),
    costUsd: sumOrNull(task.all_runs.map(({ cost_usd }) => cost_usd)),
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

/** Commands answer by their exit code. A prompt is done by what the agent said, unless a check of ours has passed. */
export function doneWords({
  kind,
  checked,
  change,
}: {
  readonly kind: 'prompt' | 'run'
  readonly checked: boolean
  readonly change: ChangeView | null
}): string {
  const how = checked ? ', checked' : kind === 'prompt' ? ', unchecked' : ''
  return `done${how}${kind === 'prompt' && isUnchanged(change) ? ', changed nothing' : ''}`
}

/** It worked in a worktree and left it as it was. */
export const isUnchanged = (change: ChangeView | null): boolean => change !== null && change.patch_bytes === null

/** An attempt that is under way has left nothing yet: what the one before it left still stands. */
function changeOf({ all_runs }: ReportTask): RowChange | null {
  const run = all_runs.findLast(({ change }) => change !== null)
  if (run === undefined || run.change === null) return null
  return { ...run.change, run: run.id, outcome: run.outcome, checked: run.checked }
}

function whyOf({ last_run, hold, why }: ReportTask, end: RowEnd): string {
  if (end === 'done') return unusedReport(last_run?.reason ?? null)
  if (end === 'not_finished') return onOneLine(why?.says ?? '')
  if (end === 'needs_you') return onOneLine(hold?.text ?? last_run?.reason ?? '')
  return onOneLine(last_run?.reason ?? hold?.text ?? '')
}

/** The note that nothing of its report was taken, artifacts and result included; empty where there is none. */
export function unusedReport(reason: string | null): string {
  const at = reason?.indexOf('Its report was not used: ') ?? -1
  return at < 0 ? '' : onOneLine(reason?.slice(at) ?? '')
}

export function lastLineOf(run: RunView | null): string {
  if (run === null) return ''
  return linesOf(decidingTail(run)).at(-1) ?? linesOf(run.result_tail).at(-1) ?? ''
}

/** Stages that decide such an end: what they printed says why, not what the work printed before. */
const decidedBy: Readonly<Record<string, 'prepare' | 'check'>> = {
  check_failed: 'check',
  check_error: 'check',
  launch_failed: 'prepare',
}

/** The end of the output that says why an attempt ended as it did; null where no output does. */
export function decidingTail({ outcome, stages, output_tail }: RunView): string | null {
  const kind = outcome === null ? undefined : decidedBy[outcome]
  if (kind === undefined) return output_tail
  const stage = stages.findLast((one) => one.kind === kind)
  // Without a check that ran, its rules have decided: the reason says which.
  return stage?.output_tail ?? (kind === 'check' ? null : output_tail)
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
