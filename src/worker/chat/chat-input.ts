import type { Clock, Random, Redactor } from '../../kernel/index.ts'
import type { ChatSettings } from '../../runs/index.ts'
import type { AnswerCheck } from '../answer/answer-check.ts'
import type { BoardLink } from '../board/board-link.ts'
import type { Endpoint, ModelCall, ModelMessage, ModelSettings } from '../provider/model-call.ts'
import type { RetryPolicy } from '../provider/retry-plan.ts'
import type { Transcript } from '../record/transcript.ts'
import type { Tool } from '../tools/tool.ts'
import type { ChatProgress } from './chat-end.ts'

export interface ChatDeps {
  readonly clock: Clock
  readonly random: Random
  /** One line for people; masked by the one who writes it. */
  readonly log: (line: string) => void
  readonly transcript: Transcript
  /** Masks everything: for what is condensed and kept. */
  readonly redact: Redactor
  /** Masks known values: for what the model reads. */
  readonly maskKnown: Redactor
}

/** What decides how a conversation is led; a part of `ChatOptions`. */
export interface LoopOptions {
  /** At least one. */
  readonly models: readonly string[]
  readonly maxTurns: number
  readonly limits: ModelCall['limits']
  readonly retry: RetryPolicy
  readonly settings: ModelSettings
  readonly contextTokens: number | null
  readonly runMs: number | null
  readonly budget: ChatSettings['budget']
  readonly prices: ChatSettings['prices']
}

export interface ChatInput {
  readonly options: LoopOptions
  readonly endpoint: Endpoint
  readonly system: string
  readonly prompt: string
  /** What was said in a run that this one goes on from, its system prompt left out; undefined: it begins anew. */
  readonly before?: readonly ModelMessage[] | undefined
  readonly tools: readonly Tool[]
  /** The board that this worker speaks to; undefined: none. */
  readonly board?: BoardLink | undefined
  /** What the answer has to be; undefined: a text. */
  readonly answer?: AnswerCheck | undefined
  /** Monotonic time at which the run has begun; its limit counts from there. */
  readonly startedMs: number
  /** Reason that the run before this one reported. */
  readonly lastRunReason?: string | null
  /** Fires when the worker is told to stop. */
  readonly signal: AbortSignal
  /** Kept current, for whoever has to report an early end. */
  readonly progress: ChatProgress
}
