/** One call of a tool that has been made, or refused, as the guards remember it. */
export interface PastCall {
  /** Which turn of the model asked for it. */
  readonly turn: number
  readonly tool: string
  readonly effect: 'reads' | 'writes'
  /** Digest of the tool's name and its arguments in canonical form. */
  readonly call: string
  /** Digest of what came of it, without times, process numbers and the like. */
  readonly result: string
  readonly outcome: 'ok' | 'failed'
  /** What was looked at has moved on since the last look: looking again is no loop. */
  readonly moved: boolean
  /** It has waited on purpose for something that runs: no loop, and no progress. */
  readonly waited: boolean
  /** A command that was stopped at its limit. */
  readonly timedOut: boolean
  /** It worked and was new: no call before it was the same and had the same result. */
  readonly isProgress: boolean
  /** It was not made: a guard stood before it. All else is as it was when it was made last. */
  readonly isRefused: boolean
}

/** A call that was made just now. */
export interface MadeCall extends Omit<PastCall, 'isProgress' | 'isRefused'> {
  /** It has answered that nothing is new, in place of the answer before: both count as one. */
  readonly unchanged: boolean
}

/** A call that is about to be made, or has just been. */
export type AboutCall = Pick<PastCall, 'tool' | 'effect' | 'call'>
