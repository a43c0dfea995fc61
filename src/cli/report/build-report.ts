import type { BatchReportView } from '../../api/contract/index.ts'
import { onOneLine } from '../render/visible.ts'
import { type CauseGroup, groupCauses } from './cause-groups.ts'
import { type DoNow, doNowOf, oncePerCommand } from './do-now.ts'
import { mergeNow } from './merge-now.ts'
import { listPatches, type ReportPatch } from './report-patches.ts'
import { isUnchanged, type ReportRow, type ReportTask, rowOf, sumOrNull } from './report-row.ts'

export interface ReportCounts {
  readonly total: number
  readonly done: number
  /** Done, and a check of ours has passed; without those that changed nothing. */
  readonly doneChecked: number
  /** Done commands without a check: their exit code is their check. */
  readonly doneCommands: number
  /** Done prompts that no check of ours looked at; without those that changed nothing. */
  readonly doneUnchecked: number
  /** Done prompts that left their worktree as it was, checked or not. */
  readonly changedNothing: number
  readonly failed: number
  readonly needsYou: number
  readonly cancelled: number
  readonly notFinished: number
  readonly running: number
}

/** What attempts have cost, as far as it is known. */
export interface Cost {
  readonly usd: number
  /** Attempts that asked a model and whose cost nobody knows. */
  readonly unknownOf: number
}

/** A batch's report, all of it derived from one answer of the API. Pure data: the renderers only lay it out. */
export interface Report {
  readonly batch: BatchReportView['batch']
  readonly headline: string
  readonly counts: ReportCounts
  readonly tookMs: number
  readonly rows: readonly ReportRow[]
  readonly doNow: readonly DoNow[]
  readonly causes: readonly CauseGroup[]
  /** What the rows have changed, one patch for each that has changed something. */
  readonly patches: readonly ReportPatch[]
  /** Rows that have not ended, by why they do not run. */
  readonly notFinished: readonly { readonly code: string; readonly says: string; readonly tasks: readonly number[] }[]
  readonly tokens: Tokens | null
  readonly cost: Cost | null
  /** Attempts that ended in nothing, free ones included. */
  readonly waste: {
    readonly attempts: number
    readonly tookMs: number
    readonly tokens: number | null
    readonly usd: number | null
  }
  readonly accountsHeld: BatchReportView['accounts_held']
  readonly yard: BatchReportView['yard']
  readonly nowMs: number
}

export interface Tokens {
  readonly input: number
  readonly cached: number
  readonly output: number
  readonly calls: number
}

export interface ReportLook {
  /** What `apply` takes the patches from, as it is typed; without it the batch, which its hub knows. */
  readonly applyFrom?: string | undefined
}

export function buildReport(view: BatchReportView, { applyFrom = `B${view.batch.id}` }: ReportLook = {}): Report {
  const nowMs = Date.parse(view.now)
  const pairs = view.tasks.map((task) => ({ task, row: rowOf(task, nowMs) }))
  const rows = pairs.map(({ row }) => row)
  const counts = countRows(view.tasks, rows)
  return {
    batch: view.batch,
    headline: headlineOf(view.batch, counts),
    counts,
    tookMs: tookMs(view, nowMs),
    rows,
    doNow: [
      ...oncePerCommand(pairs.flatMap(({ task, row }) => doNowOf(task, row))),
      ...mergeNow({ batch: view.batch, rows, applyFrom }),
    ],
    patches: listPatches(rows),
    causes: groupCauses(pairs),
    notFinished: groupWaiting(rows),
    tokens: tokensOf(view.tasks),
    cost: costOf(view.tasks),
    waste: wasteOf(view.tasks),
    accountsHeld: view.accounts_held,
    yard: view.yard,
    nowMs,
  }
}

function countRows(tasks: readonly ReportTask[], rows: readonly ReportRow[]): ReportCounts {
  const ended = (end: ReportRow['end']) => rows.filter((row) => row.end === end)
  const done = ended('done')
  const those = (how: ReturnType<typeof howDone>) => done.filter((row) => howDone(row) === how).length
  return {
    total: rows.length,
    done: done.length,
    doneChecked: those('checked'),
    doneCommands: those('command'),
    doneUnchecked: those('unchecked'),
    changedNothing: those('changed_nothing'),
    failed: ended('failed').length,
    needsYou: ended('needs_you').length,
    cancelled: ended('cancelled').length,
    notFinished: ended('not_finished').length,
    running: tasks.filter(({ status }) => status === 'running').length,
  }
}

/** Each done row is counted as one of these. */
function howDone({ kind, checked, change }: ReportRow): 'checked' | 'command' | 'unchecked' | 'changed_nothing' {
  if (kind === 'prompt' && isUnchanged(change)) return 'changed_nothing'
  if (checked) return 'checked'
  return kind === 'run' ? 'command' : 'unchecked'
}

/** What went wrong stands first: a failed night must never read like a good one. */
function headlineOf(batch: BatchReportView['batch'], counts: ReportCounts): string {
  const name = `B${batch.id} ${onOneLine(batch.name)}`
  const { verdict, cut } = batch
  if (verdict === null) {
    const ended = counts.done + counts.failed + counts.cancelled
    const wrong = [troubleOf({ ...counts, notFinished: counts.running }), openOf(counts)].filter((one) => one !== '')
    const going = cut === null ? 'is not over' : `is being stopped (${onOneLine(cut.text)})`
    return `${name} ${going}: ${ended} of ${counts.total} ended${wrong.map((one) => `, ${one}`).join('')}`
  }
  const wrong = troubleOf(counts)
  const stopped = cut === null || counts.done === counts.total ? '' : `${onOneLine(cut.text)}; `
  const good = counts.done === counts.total ? 'all' : `${counts.done} of ${counts.total}`
  return `${name}: ${stopped}${wrong === '' ? `${good} done` : `${wrong} of ${counts.total}`}, exit ${verdict.exit_code}`
}

function troubleOf({ failed, needsYou, cancelled, notFinished, running }: ReportCounts): string {
  const left = notFinished - running
  const parts = [
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(needsYou === 0 ? [] : [`${needsYou} ${needsYou === 1 ? 'needs' : 'need'} you`]),
    ...(cancelled === 0 ? [] : [`${cancelled} cancelled`]),
    ...(left === 0 ? [] : [`${left} not finished`]),
  ]
  return parts.join(', ')
}

/** Of one that goes on: "not finished" would be a reproach, and is a number of its own below. */
function openOf({ notFinished, running }: ReportCounts): string {
  const waiting = notFinished - running
  const parts = [...(running === 0 ? [] : [`${running} running`]), ...(waiting === 0 ? [] : [`${waiting} waiting`])]
  return parts.join(', ')
}

function tookMs({ batch }: BatchReportView, nowMs: number): number {
  const endMs = batch.ended_at === null ? nowMs : Date.parse(batch.ended_at)
  return Math.max(0, endMs - Date.parse(batch.created_at))
}

function groupWaiting(rows: readonly ReportRow[]): Report['notFinished'] {
  const groups = new Map<string, { readonly says: string; readonly tasks: number[] }>()
  for (const { end, code, why, id } of rows) {
    if (end !== 'not_finished') continue
    const group = groups.get(code)
    if (group === undefined) groups.set(code, { says: why, tasks: [id] })
    else group.tasks.push(id)
  }
  return [...groups].map(([code, group]) => ({ code, ...group }))
}

function tokensOf(tasks: readonly ReportTask[]): Tokens | null {
  const used = tasks.flatMap(({ all_runs }) => all_runs.flatMap(({ usage }) => (usage === null ? [] : [usage])))
  if (used.length === 0) return null
  const sum = (of: (usage: (typeof used)[number]) => number) => used.reduce((total, usage) => total + of(usage), 0)
  return {
    input: sum((usage) => usage.input_tokens),
    cached: sum((usage) => usage.cached_tokens),
    output: sum((usage) => usage.output_tokens),
    calls: sum((usage) => usage.calls),
  }
}

/** Null where no attempt's cost is known: no prices, or no provider that says what was used. */
function costOf(tasks: readonly ReportTask[]): Cost | null {
  const asked = tasks
    .flatMap(({ all_runs }) => all_runs)
    .filter(({ usage, cost_usd }) => usage !== null || cost_usd !== null)
  const usd = sumOrNull(asked.map(({ cost_usd }) => cost_usd))
  return usd === null ? null : { usd, unknownOf: asked.filter(({ cost_usd }) => cost_usd === null).length }
}

function wasteOf(tasks: readonly ReportTask[]): Report['waste'] {
  const wasted = tasks
    .flatMap(({ all_runs }) => all_runs)
    // Work that was put to review came to something, whatever is said of it.
    .filter(({ outcome }) => outcome !== null && outcome !== 'done' && outcome !== 'review')
  const times = wasted.map(({ started_at, exited_at }) =>
    started_at === null || exited_at === null ? null : Math.max(0, Date.parse(exited_at) - Date.parse(started_at)),
  )
  return {
    attempts: wasted.length,
    tookMs: sumOrNull(times) ?? 0,
    usd: sumOrNull(wasted.map(({ cost_usd }) => cost_usd)),
    tokens: sumOrNull(wasted.map(({ usage }) => (usage === null ? null : usage.input_tokens + usage.output_tokens))),
  }
}
