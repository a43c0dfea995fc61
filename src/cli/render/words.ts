import type { RunSummaryView } from '../../api/contract/index.ts'
import { statusWords } from '../../kernel/index.ts'
import { onOneLine } from './visible.ts'

/**
 * The words that people read for the product's codes (files-and-cli, "Words for people"). The code itself follows in
 * brackets wherever an end is named.
 */

const wordsOfStatus: Readonly<Record<string, string>> = statusWords

/** A status in people's words; `ready` but held reads `waiting`. */
export function statusWord(
  task: { readonly status: string; readonly not_before?: string | null },
  nowMs: number,
): string {
  const later = task.not_before != null && Date.parse(task.not_before) > nowMs
  if (task.status === 'ready' && later) return 'waiting'
  return wordsOfStatus[task.status] ?? task.status
}

const outcomeWords: Readonly<Record<string, string>> = {
  done: 'done',
  failed: 'failed',
  tempfail: 'try later',
  timed_out: 'timed out',
  stalled: 'stalled',
  killed: 'killed',
  oom: 'out of memory',
  incomplete: 'ended without finishing',
  check_failed: 'check failed',
  check_error: 'check could not run',
  launch_failed: 'could not start',
  stopped: 'stopped',
  cancelled: 'cancelled',
  interrupted: 'cut off',
  lost: 'cut by reboot',
  blocked: 'needs you',
  review: 'waits for review',
  unknown: 'end not knowable',
}

/** How an attempt ended, without the code. An outcome of a newer hub is shown by its code. */
export const outcomeWord = (outcome: string): string => outcomeWords[outcome] ?? outcome

/** `timed out [timed_out]`; where word and code are the same, the word stands alone. */
export function outcomeWithCode(outcome: string): string {
  const word = outcomeWord(outcome)
  return word === outcome ? word : `${word} [${outcome}]`
}

/** How this attempt ended: one that said it waits for another task needs nobody. */
export function endOutcome({
  outcome,
  call,
}: {
  readonly outcome: string
  readonly call: RunSummaryView['call']
}): string {
  if (outcome === 'blocked' && call?.kind === 'wait') return `waits for T${call.on_task} [${outcome}]`
  return outcomeWithCode(outcome)
}

/** `exit 1`, `signal SIGKILL`, or nothing where neither is known. */
export function endOf(run: { readonly exit_code: number | null; readonly signal: string | null }): string | undefined {
  if (run.signal !== null) return `signal ${onOneLine(run.signal)}`
  return run.exit_code === null ? undefined : `exit ${run.exit_code}`
}

/** What an attempt is doing beside its work; undefined while it works, and once it ended. */
export function stageWords({
  phase,
  stage,
  stage_over,
}: Pick<RunSummaryView, 'phase' | 'stage' | 'stage_over'>): string | undefined {
  if (phase === 'claimed') return 'its folder is being got ready'
  if (stage === 'prepare') return 'is being set up'
  if (stage === 'check') return 'its check runs'
  return stage === 'work' && stage_over ? 'what it changed is being recorded' : undefined
}

/** `1 task`, `3 tasks`. */
export const count = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`

/** Why nothing can be said of an open attempt, and nothing done to it; undefined of one that is watched. */
export function heldWords(run: RunSummaryView | null): string | undefined {
  if (run === null || run.outcome !== null) return undefined
  if (run.elsewhere) return `held: it was started on ${run.host}, another machine`
  if (run.original !== null) return `held: it runs for ${run.original}, and this home is a copy of that`
  return run.held ? 'held: it cannot be told whether it is still alive' : undefined
}
