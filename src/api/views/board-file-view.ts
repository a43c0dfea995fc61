import type { CopiedRun, CopiedTask } from '../../board/index.ts'
import type { Redactor } from '../../kernel/index.ts'
import { type BoardFileHeader, type BoardFileTask, boardFileFormat } from '../contract/index.ts'
import { viewRefusal } from './run-view.ts'
import { isoTime, isoTimeOrNull } from './time.ts'
import { writtenSettings } from './written-settings.ts'

/** The first line of a board's file. */
export function viewBoardFileHeader(of: { board: string; tasks: number; nowMs: number }): BoardFileHeader {
  const { board, tasks, nowMs } = of
  return { yardmaster: 'board', format: boardFileFormat, board, exported_at: isoTime(nowMs), tasks }
}

type Card = CopiedTask & { readonly batch: string | null; readonly rowKey: string | null }

/** One task of it. Every text that a person or a worker wrote is masked: the file leaves this home. */
export function viewBoardFileTask({ mask }: { readonly mask: Redactor }, card: Card): BoardFileTask {
  const { title, prompt, run, dir, repo, repoBranch, matrix, labels, ...settings } = card.spec
  return masked(mask, {
    task: card.from,
    title,
    ...(prompt === undefined ? {} : { prompt }),
    ...(run === undefined ? {} : { run: typeof run === 'string' ? run : [...run] }),
    dir,
    ...(repo === undefined ? {} : { repo }),
    ...(repoBranch === undefined ? {} : { repo_branch: repoBranch }),
    ...(matrix === undefined ? {} : { matrix }),
    ...(labels === undefined ? {} : { labels: [...labels] }),
    ...writtenSettings(settings),
    lane: card.lane,
    priority: card.priority,
    status: card.status,
    key: card.key,
    batch: card.batch,
    row_key: card.rowKey,
    failures: card.failures,
    hold: card.holdCode === null ? null : { code: card.holdCode, text: card.holdText, by: card.holdBy },
    not_before: isoTimeOrNull(card.notBeforeMs),
    created_by: card.createdBy,
    created_at: isoTime(card.createdAtMs),
    settled_at: isoTimeOrNull(card.settledAtMs),
    archived_at: isoTimeOrNull(card.archivedAtMs),
    archived_by: card.archivedBy,
    needs: card.needs.map(({ task, when, outside, met }) => ({ task, when, outside, met })),
    comments: card.comments.map(({ atMs, by, text }) => ({ at: isoTime(atMs), by, text })),
    runs: card.runs.map(viewRun),
    left_out: [...card.leftOut],
  })
}

function viewRun(run: CopiedRun): BoardFileTask['runs'][number] {
  const { usage, call, spent } = run
  return {
    attempt: run.attempt,
    lane: run.lane,
    account: run.account,
    outcome: run.outcome,
    reason: run.reason,
    exit_code: run.exitCode,
    signal: run.signal,
    output_tail: run.outputTail,
    result: run.result,
    data: run.data === null ? null : (JSON.parse(run.data) as unknown),
    call: call === null ? null : { kind: call.kind, code: call.code, text: call.text, at: isoTime(call.atMs) },
    usage:
      usage === null
        ? null
        : {
            input_tokens: usage.inputTokens,
            cached_tokens: usage.cachedTokens,
            output_tokens: usage.outputTokens,
            calls: usage.calls,
          },
    spent:
      spent === null
        ? null
        : {
            model: spent.model,
            cost_usd: spent.costUsd,
            counts: { ...spent.counts },
            compactions: spent.compactions,
            ...(spent.refusal === undefined ? {} : { refusal: viewRefusal(spent.refusal) }),
          },
    claimed_at: isoTime(run.claimedAtMs),
    exited_at: isoTime(run.exitedAtMs),
    settled_at: isoTime(run.settledAtMs),
    peak_rss_bytes: run.peakRssBytes,
    cpu_seconds: run.cpuSeconds,
    released_by: run.releasedBy,
  }
}

/** Value by value, so that a mask can never break the line. */
function masked<Value>(mask: Redactor, value: Value): Value {
  return JSON.parse(JSON.stringify(value, (_, part) => (typeof part === 'string' ? mask(part) : part))) as Value
}
