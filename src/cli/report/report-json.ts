import type { BatchReportView } from '../../api/contract/index.ts'
import { buildReport, type Report } from './build-report.ts'

/** report.json: the report for programs. `tasks` are the API's own rows, attempts with their tails included. */
export function reportJson(view: BatchReportView, report: Report = buildReport(view)) {
  const { headline, counts, tookMs, doNow, causes, notFinished, tokens, cost, waste, patches } = report
  return {
    schema: 1,
    written_at: view.now,
    headline,
    exit_code: view.batch.verdict?.exit_code ?? null,
    batch: view.batch,
    took_ms: tookMs,
    counts: {
      total: counts.total,
      done: counts.done,
      done_checked: counts.doneChecked,
      done_commands: counts.doneCommands,
      done_unchecked: counts.doneUnchecked,
      changed_nothing: counts.changedNothing,
      failed: counts.failed,
      needs_you: counts.needsYou,
      cancelled: counts.cancelled,
      not_finished: counts.notFinished,
      running: counts.running,
    },
    do_now: doNow,
    causes,
    patches: patches.map(({ file, header, files, insertions, deletions, bytes }) => ({
      file,
      task: header.task,
      run: header.run,
      key: header.key,
      outcome: header.outcome,
      checked: header.checked,
      repo: header.repo,
      branch: header.branch,
      base_ref: header.baseRef,
      base_commit: header.baseCommit,
      head_commit: header.headCommit,
      files,
      insertions,
      deletions,
      bytes,
    })),
    not_finished: notFinished,
    tokens,
    cost: cost === null ? null : { usd: cost.usd, unknown_of: cost.unknownOf },
    waste: { attempts: waste.attempts, took_ms: waste.tookMs, tokens: waste.tokens, usd: waste.usd },
    accounts_held: view.accounts_held,
    yard: view.yard,
    tasks: view.tasks,
  }
}
