import type { Run } from '../board/index.ts'
import type { TranscriptLook } from '../runs/index.ts'
import { parseRunPlan, type RunPlan } from './run-plan.ts'

/** What an attempt goes on with. */
export interface Continuation {
  /** Whose conversation it is. */
  readonly from: Run
  /** What was said in it to the model, masked as the record is. */
  readonly heard: string
}

export interface ContinueView {
  readonly plan: Pick<RunPlan, 'lane' | 'chat' | 'reviewOf' | 'worktree'>
  /** The task's own text, filled and masked as the record is. */
  readonly text: string
  /** The newest attempt of its author that ran, this one not counted. */
  readonly before: Run | undefined
  /** Looks at the transcript of that one, at most so many bytes of it; asked for only where all else fits. */
  readonly lookAt: (before: Run, mostBytes: number) => TranscriptLook | undefined
}

/** Assumed of a model whose window is not told, as the agent itself assumes. */
const usualWindowTokens = 128_000
const charsPerToken = 3.6
/** Escapes and what belongs to no message: a file of that many bytes for each character can still fit. */
const bytesPerChar = 3

/**
 * The conversation that an attempt goes on with, or undefined: it begins anew. It makes sense where a person
 * had to say something first: what was asked has its answer, what was stopped its correction. After a failure it does not,
 * since what led there would be read again. And all must be as it was: task, lane, model, folder, and the record whole.
 */
export function planContinuation({ plan, text, before, lookAt }: ContinueView): Continuation | undefined {
  if (before === undefined || plan.chat === null || plan.reviewOf !== null) return undefined
  if (!waitedForPerson(before) || before.prunedAtMs !== null || before.exitedAtMs === null) return undefined
  if (before.lane !== plan.lane || plan.worktree?.fresh === true) return undefined
  const { chat } = parseRunPlan(before.settings)
  const { chat: now } = plan
  if (chat?.models[0] !== now.models[0] || chat?.baseUrl !== now.baseUrl || chat?.api !== now.api) return undefined
  const mostChars = ((now.contextTokens ?? usualWindowTokens) / 2) * charsPerToken
  const look = lookAt(before, Math.floor(mostChars * bytesPerChar))
  if (look === undefined || look.chars > mostChars || !look.userTexts.includes(text.trim())) return undefined
  return { from: before, heard: look.userTexts }
}

/** Who is blocked without a call has asked by its report: the board could not be reached. */
function waitedForPerson({ outcome, call }: Run): boolean {
  return (outcome === 'blocked' && (call === null || call.kind === 'block')) || outcome === 'stopped'
}
