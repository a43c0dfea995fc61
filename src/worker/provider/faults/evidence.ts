import type { CallPhase } from './fault.ts'

/** Everything that is known of a call that did not work. */
export interface CallEvidence {
  /** Our own doing goes first: text is never searched for "timeout". */
  readonly cutBy: OwnFlag | null
  readonly phase: CallPhase
  /** Null when no headers came. */
  readonly status: number | null
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Raw body of a refusal, or of the error inside a 200 or a stream; null when there was none. */
  readonly body: string | null
  /** What was thrown, where something was. */
  readonly cause: unknown
  /** Where it was sent; tells the provider. Absent: not known. */
  readonly baseUrl?: string
  /** Attempts of this call so far, this one included. Absent: the first. */
  readonly attempt?: number
  /** What was sent. Absent: nothing is concluded from its size. */
  readonly conversation?: ConversationSize
  /** Reason that the run before this one reported. An unknown host is a wall once, and a wrong address twice in a row. */
  readonly lastRunReason?: string | null
}

/** A watchdog of ours, a budget of ours (`run`: its time), or somebody who said stop. */
export type OwnFlag = 'interrupted' | 'first_byte' | 'first_event' | 'idle' | 'whole_call' | 'run' | 'budget'

export interface ConversationSize {
  /** About. */
  readonly tokens: number
  readonly messages: number
  /** What the model can take; null: not known. */
  readonly windowTokens: number | null
}
