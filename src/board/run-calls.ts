import type { RunId, TaskId } from '../kernel/index.ts'
import type { CallKind, RunPhase, StopReason, TerminalCall } from './run.ts'

/** Whose token it is. The phase says whether the run may still speak. */
export interface TokenHolder {
  readonly run: RunId
  readonly task: TaskId
  readonly fence: number
  readonly phase: RunPhase
}

/** A run as it speaks for itself. */
export type Caller = Pick<TokenHolder, 'run' | 'fence'>

/**
 * What became of a call. over: the run had ended before; it stands on record as a late call. called: another terminal
 * call was made before, and stays. stopping: we are ending it for a reason that decides its outcome.
 */
export type CallAnswer =
  | { readonly kind: 'recorded' }
  | { readonly kind: 'over'; readonly phase: RunPhase }
  | { readonly kind: 'called'; readonly before: TerminalCall }
  | { readonly kind: 'stopping'; readonly stop: StopReason }

/** What a run says of its own end. */
export type NewCall = Omit<TerminalCall, 'atMs'>

/** What a run does in its own name (design section 4, T). Each is compare-and-set on the run's fence and phase. */
export interface RunCalls {
  /** Who holds this token; undefined for what is none. A run that is over is answered too, with its phase. */
  verifyToken(token: string): TokenHolder | undefined
  /** A sign of life, for the record only: nothing is judged by it, and nothing is lost without it. */
  recordHeartbeat(caller: Caller): CallAnswer
  /** Throws `BOARD_TOO_MANY_REMARKS` past 100 remarks of one run. */
  recordRemark(caller: Caller, text: string): CallAnswer
  /**
   * What it does besides its own task: told as an event, before it is done. Throws `BOARD_TOO_MANY_ACTS` past `most` of one
   * kind.
   */
  recordAct(caller: Caller, act: RunAct): CallAnswer
  /** What it asked for and may not do: told as an event, past 20 of them not any more. Of a run that is over nothing is. */
  recordRefusal(caller: Caller, refused: { readonly act: string; readonly why: string }): void
  /** What it asked for when it was over, for the record: an event, and past 20 of them only a count. */
  recordLateCall(caller: Caller, act: string): void
  /**
   * The terminal call: write-once, except that the very same one may be repeated. A reviewer's run completes with one of
   * `verdictCodes`, or blocks. Throws `BOARD_NO_TASK`, `BOARD_NEED_CYCLE` and `BOARD_NEED_MET` for a `wait` that cannot be,
   * `BOARD_VERDICT_OF_AUTHOR`, `BOARD_VERDICT_MISSING`, `BOARD_VERDICT_WITHOUT_TEXT`.
   */
  recordCall(caller: Caller, call: NewCall): CallAnswer
}

/** create: a task. comment: on another task. link: a need between two tasks. note: how far it has come. */
export interface RunAct {
  readonly act: 'create' | 'comment' | 'link' | 'note'
  /** The rest of "T5 attempt 1 …". */
  readonly text: string
  readonly data?: Readonly<Record<string, unknown>>
}

/** Of one run; a model that goes in circles must not flood a board. */
export const mostActs: Readonly<Record<RunAct['act'], number>> = { create: 20, comment: 100, link: 100, note: 200 }

/** Past this a refusal is not told any more. */
export const mostRefusals = 20

/** Past this a late call is only counted. */
export const mostLateCallEvents = 20

/** Remarks of one attempt: the next one reads them all. */
export const mostRemarks = 100

/** Codes of `complete` that are the verdict of a reviewer's run. */
export const verdictCodes = ['approved', 'changes_requested'] as const
export type VerdictCode = (typeof verdictCodes)[number]
export const isVerdictCode = (code: string | null): code is VerdictCode =>
  (verdictCodes as readonly (string | null)[]).includes(code)

/** A terminal call as the rest of "it says that …". */
export function sayCall({ kind, code }: Pick<TerminalCall, 'kind' | 'code'>): string {
  if (kind !== 'complete' || !isVerdictCode(code)) return says[kind]
  return code === 'approved' ? 'the work is good' : 'it wants changes'
}

const says: Readonly<Record<CallKind, string>> = {
  complete: 'it is done',
  block: 'it needs a person',
  review: 'somebody must look at it',
  wait: 'it waits for another task',
}
