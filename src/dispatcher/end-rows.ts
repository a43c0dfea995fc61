import type { Outcome } from '../board/index.ts'

/** What comes after an end, before caps and attempts are asked. */
export type NextStep =
  | 'done'
  | 'cancelled'
  /** Waits for a person. */
  | 'block'
  /** Waits for a person's verdict. */
  | 'review'
  /** Startable again at once. */
  | 'back'
  /** Startable again after a wait that doubles. */
  | 'back_off'
  /** As the task's `rerun` says: auto back, ask blocked. */
  | 'rerun'
  /** Failed now, whatever `attempts` says. */
  | 'fail'

/** One row of the exit-rule table of design section 4. */
export interface EndRow {
  /** Added to the task's failures; at `attempts` it is failed. */
  readonly failure: 0 | 1
  readonly next: NextStep
  /** So many ends of this outcome since the last reset, this one included, and the task waits for a person. */
  readonly cap: Cap | null
}

export interface Cap {
  readonly ends: number
  /** Only ends of the last so many milliseconds; null: all since the reset. */
  readonly withinMs: number | null
}

const hourMs = 3_600_000

/** The built-in table by outcome. What needs more than the outcome stands in `specialRows`. */
export const endRows: Readonly<Record<Outcome, EndRow>> = {
  done: { failure: 0, next: 'done', cap: null },
  failed: { failure: 1, next: 'back_off', cap: null },
  tempfail: { failure: 0, next: 'back_off', cap: { ends: 50, withinMs: 24 * hourMs } },
  timed_out: { failure: 1, next: 'back_off', cap: null },
  stalled: { failure: 1, next: 'back_off', cap: null },
  killed: { failure: 1, next: 'back_off', cap: null },
  oom: { failure: 1, next: 'back_off', cap: null },
  incomplete: { failure: 0, next: 'back_off', cap: null },
  check_failed: { failure: 1, next: 'back_off', cap: null },
  check_error: { failure: 0, next: 'back', cap: { ends: 2, withinMs: null } },
  launch_failed: { failure: 0, next: 'back_off', cap: { ends: 2, withinMs: null } },
  stopped: { failure: 0, next: 'block', cap: null },
  cancelled: { failure: 0, next: 'cancelled', cap: null },
  interrupted: { failure: 0, next: 'rerun', cap: { ends: 5, withinMs: null } },
  lost: { failure: 0, next: 'rerun', cap: { ends: 5, withinMs: null } },
  blocked: { failure: 0, next: 'block', cap: null },
  review: { failure: 0, next: 'review', cap: null },
  unknown: { failure: 0, next: 'rerun', cap: { ends: 2, withinMs: null } },
}

/** Rows for ends that share their outcome with others. */
export const specialRows = {
  /** It never got its go, so it has run nothing: back, always, outside the cap. */
  neverStarted: { failure: 0, next: 'back', cap: null },
  /** Drain, shutdown, the batch's time: outside the cap. */
  softStopped: { failure: 0, next: 'rerun', cap: null },
  /** No account's gate holds a plain command back, so it gets fewer tries. */
  tempfailOfPlainCommand: { failure: 0, next: 'back_off', cap: { ends: 5, withinMs: 24 * hourMs } },
  /** The closed gate of the account is the hold: no time of its own. */
  tempfailBehindGate: { failure: 0, next: 'back', cap: { ends: 50, withinMs: 24 * hourMs } },
  /** Money or access: the account is parked until a person acts. */
  accountParked: { failure: 0, next: 'back', cap: null },
  /** The same without an account that could be parked. */
  needsMoneyOrAccess: { failure: 0, next: 'block', cap: null },
  /** sysexits codes that no repeat mends, and `then: block`. */
  badInput: { failure: 1, next: 'block', cap: null },
  /** `then: fail`. */
  failedForGood: { failure: 1, next: 'fail', cap: null },
  /** The machine is out of memory, files or disk for a while: no task's fault, so none of a night's hundreds asks a person. */
  machineShort: { failure: 0, next: 'back_off', cap: null },
  /**
   * It waits for another task: back behind it. Without a cap one that waits for what is done already would be started for
   * ever.
   */
  waits: { failure: 0, next: 'back', cap: { ends: 10, withinMs: null } },
  /** The system refused text or command of the task: only a person can change that. */
  refusedBySystem: { failure: 0, next: 'block', cap: null },
} as const satisfies Readonly<Record<string, EndRow>>

/** Deaths by a signal that is not ours: so many within this time and the task is failed, whatever `attempts` says. */
export const crashLoop = {
  outcomes: ['killed', 'oom'] as readonly Outcome[],
  ends: 3,
  withinMs: 72 * hourMs,
} as const

/** The second "no evidence of work" in a row is a failure. */
export const incompleteInARow = 2

/** Ends that say nothing about the task, so they neither lengthen nor break its streak of incomplete ends. */
export const saysNothingOfTheTask: readonly Outcome[] = [
  'tempfail',
  'interrupted',
  'lost',
  'unknown',
  'launch_failed',
  'check_error',
]
