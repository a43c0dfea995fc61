import type { CallPhase } from './fault.ts'

/** Everything that is known of a call that did not work. */
export interface CallEvidence {
  /** Our own doing goes first: text is never searched for "timeout". */
  readonly cutBy: 'interrupted' | 'first_byte' | 'idle' | 'whole_call' | null
  readonly phase: CallPhase
  /** Null when no headers came. */
  readonly status: number | null
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Raw body of a refusal, or of the error inside a 200 or a stream; null when there was none. */
  readonly body: string | null
  /** What was thrown, where something was. */
  readonly cause: unknown
}
