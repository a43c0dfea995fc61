import type { ModelMessage, SentRequest } from '../provider/model-call.ts'
import type { CallUsage } from '../provider/reply.ts'

/**
 * One line of a run's transcript, `transcript.jsonl` of its directory: everything needed to show the run again without a
 * provider, in the order in which it happened. Every text in it is masked before it is written.
 */
export type TranscriptLine =
  | {
      readonly kind: 'start'
      readonly schema: 1
      readonly at: string
      readonly run: number | null
      readonly model: string
      readonly tools: readonly string[]
    }
  /** A message as it went into the conversation. */
  | { readonly kind: 'message'; readonly turn: number; readonly message: ModelMessage }
  /** A call of the model that was answered. */
  | {
      readonly kind: 'call'
      readonly turn: number
      readonly model: string
      readonly tookMs: number
      readonly finish: string
      readonly usage: CallUsage | null
      /** Null: no price is known for this model. */
      readonly costUsd: number | null
      readonly sent: SentRequest
    }
  /** A call that was not answered. */
  | { readonly kind: 'fault'; readonly turn: number; readonly says: string; readonly waitMs: number | null }
  /** Messages up to here were replaced in the conversation by those that follow, the first of them the system's. */
  | { readonly kind: 'compacted'; readonly turn: number; readonly before: number; readonly after: number }
  /** Something that the loop decided: a guard, a nudge, a reminder, an end of a budget. */
  | { readonly kind: 'note'; readonly turn: number; readonly says: string }
  /** It has reached the most that is kept: all that happened from here to the end is missing. */
  | { readonly kind: 'cut'; readonly bytes: number }
  | {
      readonly kind: 'end'
      readonly at: string
      readonly code: number
      readonly status: string
      readonly reason: string | null
    }

/** Where a worker puts the lines. One that is switched off takes nothing and makes no file. */
export interface Transcript {
  write(line: TranscriptLine): void
}
