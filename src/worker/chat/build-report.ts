import { maskJson, type Redactor } from '../../kernel/index.ts'
import { mostCounts, mostLeft, mostLeftCharacters, type RunReport } from '../../runs/index.ts'
import type { Counters } from '../record/counters.ts'
import type { KeptTranscript } from '../record/create-transcript.ts'
import type { ChatEnd, ChatProgress } from './chat-end.ts'
import { describeError } from './describe-error.ts'
import type { BoardIdentity } from './parse-arguments.ts'

export interface ReportInput {
  readonly board: BoardIdentity
  readonly end: ChatEnd
  readonly progress: ChatProgress
  /** Undefined: it never came as far as to begin one. */
  readonly transcript?: KeptTranscript | undefined
}

const longestModelChars = 200

/** What a worker says of its run. Everything that is text is masked here. */
export function buildReport(
  { redact, nowMs }: { readonly redact: Redactor; readonly nowMs: number },
  { board, end, progress, transcript }: ReportInput,
): RunReport {
  const { calls, left, data } = progress
  const kept = transcript?.keeps() ?? null
  // Who keeps no record of a run keeps no counters of it, either.
  const isOff = transcript !== undefined && kept === null
  return {
    schema: 1,
    run: board.run,
    fence: board.fence,
    status: end.kind,
    reason: end.reason,
    message: end.message === null ? null : redact(end.message),
    retryAt: end.retryAfterMs === null ? null : new Date(nowMs + end.retryAfterMs).toISOString(),
    needsHuman: end.needsHuman,
    result: progress.text === '' ? null : redact(progress.text),
    data: data === undefined ? null : (JSON.parse(maskJson(redact, data)) as unknown),
    usage: progress.usage === null ? null : { ...progress.usage, calls },
    ...(end.delivery === undefined ? {} : { delivery: end.delivery }),
    served: calls > 0,
    turns: progress.turns,
    ...(progress.fault === null ? {} : { error: describeError(redact, progress.fault) }),
    ...(progress.handedBack.length === 0 ? {} : { artifacts: progress.handedBack.map((path) => ({ path })) }),
    model: progress.model === null ? null : redact(progress.model).slice(0, longestModelChars),
    // Without a call there is nothing that could have cost anything: not known is not the same.
    costUsd: calls === 0 ? null : progress.costUsd,
    ...(isOff ? {} : { counts: countsOf(progress.counters) }),
    compactions: progress.compactions,
    left: left.slice(0, mostLeft).map((command) => redact(command).slice(0, mostLeftCharacters)),
    transcript: kept,
  }
}

/** A name that no report may hold would have the whole of it refused. */
function countsOf(counters: Counters): Counters {
  const named = Object.entries(counters).filter(([name]) => /^[a-z][a-z0-9_]{0,63}$/.test(name))
  return Object.fromEntries(named.slice(0, mostCounts))
}
