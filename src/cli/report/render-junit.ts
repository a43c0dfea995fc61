import type { BatchReportView } from '../../api/contract/index.ts'
import { decidingTail, type ReportRow, type ReportTask, rowOf } from './report-row.ts'
import { renderXml, type XmlElement } from './xml.ts'

export interface JUnitInput {
  readonly view: BatchReportView
  /** The source file of a row, by row key, where its matrix names one. */
  readonly files: ReadonlyMap<string, string>
}

/** How a row counts in JUnit. */
export type Verdict = 'passed' | 'failure' | 'error' | 'skipped'

/**
 * The batch as JUnit XML (files-and-cli section 3): a suite for each task of the file, a case for each row. Made by
 * hand, because the usual library has no reason on `skipped`, which is where CI shows why a row did not run.
 */
export function renderJUnit({ view, files }: JUnitInput): string {
  const nowMs = Date.parse(view.now)
  const suites = new Map<string, Case[]>()
  for (const task of view.tasks) {
    const row = rowOf(task, nowMs)
    const one: Case = { row, task, verdict: verdictOf(row, task), file: files.get(row.key) }
    const cases = suites.get(row.suite)
    if (cases === undefined) suites.set(row.suite, [one])
    else cases.push(one)
  }
  const all = [...suites.values()].flat()
  return renderXml({
    name: 'testsuites',
    attributes: { name: view.batch.name, ...totals(all) },
    children: [...suites].map(([suite, cases]) => suiteOf(suite, cases, view)),
  })
}

interface Case {
  readonly row: ReportRow
  readonly task: ReportTask
  readonly verdict: Verdict
  readonly file: string | undefined
}

const failures = ['failed', 'incomplete', 'check_failed', 'timed_out', 'stalled']
const alwaysErrors = ['killed', 'oom', 'check_error']
const errorsWhenBlocked = ['launch_failed', 'interrupted', 'lost', 'unknown']

/** failure: the task did not do it. error: it could not be found out. skipped: it was not asked to its end. */
export function verdictOf({ end, code }: Pick<ReportRow, 'end' | 'code'>, { hold }: Pick<ReportTask, 'hold'>): Verdict {
  switch (end) {
    case 'done':
      return 'passed'
    case 'failed':
      return alwaysErrors.includes(code) ? 'error' : 'failure'
    case 'cancelled':
    case 'not_finished':
      return 'skipped'
    case 'needs_you':
      // A block by a person, after whatever end, is a person's decision and no end.
      if (hold !== null && hold.code !== code) return 'skipped'
      if (failures.includes(code)) return 'failure'
      return alwaysErrors.includes(code) || errorsWhenBlocked.includes(code) ? 'error' : 'skipped'
  }
}

function totals(cases: readonly Case[]): Readonly<Record<string, string | number>> {
  const those = (verdict: Verdict) => cases.filter((one) => one.verdict === verdict).length
  return {
    tests: cases.length,
    failures: those('failure'),
    errors: those('error'),
    skipped: those('skipped'),
    time: seconds(cases.reduce((sum, { row }) => sum + (row.tookMs ?? 0), 0)),
  }
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3)

function suiteOf(suite: string, cases: readonly Case[], { batch }: BatchReportView): XmlElement {
  return {
    name: 'testsuite',
    attributes: { name: suite, timestamp: batch.created_at, ...totals(cases) },
    children: cases.map(caseOf),
  }
}

function caseOf({ row, task, verdict, file }: Case): XmlElement {
  return {
    name: 'testcase',
    attributes: { name: row.label ?? row.suite, classname: row.suite, file, time: seconds(row.tookMs ?? 0) },
    children: [properties(row, task), endOf(row, task, verdict), passedOutput(task, verdict)],
  }
}

function properties(row: ReportRow, { lane, last_run }: ReportTask): XmlElement {
  const values = {
    task: `T${row.id}`,
    run: last_run === null ? undefined : `R${last_run.id}`,
    outcome: row.code,
    lane,
    attempts: row.attempts,
    checked: isToBeChecked(row) ? String(row.checked) : undefined,
    branch: row.change?.branch,
    base: row.change?.base_commit,
    commit: row.change?.head_commit,
    tokens: row.tokens ?? undefined,
    cost_usd: row.costUsd ?? undefined,
  }
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  return {
    name: 'properties',
    attributes: {},
    children: given.map(([name, value]) => ({ name: 'property', attributes: { name, value } })),
  }
}

/** A command answers by its exit code; of anything else it matters whether a check has passed. */
const isToBeChecked = ({ kind, end, change }: ReportRow): boolean =>
  change !== null || (kind === 'prompt' && end === 'done')

function endOf(row: ReportRow, { all_runs }: ReportTask, verdict: Verdict): XmlElement | undefined {
  if (verdict === 'passed') return undefined
  const why = row.why === '' ? row.words : row.why
  const message = row.lastLine === '' || why.includes(row.lastLine) ? why : `${why}: ${row.lastLine}`
  if (verdict === 'skipped') return { name: 'skipped', attributes: { message: `${row.words} [${row.code}]: ${why}` } }
  return { name: verdict, attributes: { message, type: row.code }, text: tailOf(all_runs) }
}

function passedOutput({ all_runs }: ReportTask, verdict: Verdict): XmlElement | undefined {
  const text = tailOf(all_runs)
  return verdict === 'passed' && text !== '' ? { name: 'system-out', attributes: {}, text } : undefined
}

const tailOf = (runs: ReportTask['all_runs']): string => {
  const last = runs.at(-1)
  return (last === undefined ? null : decidingTail(last)) ?? ''
}
