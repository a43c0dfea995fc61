/**
 * How a run ended: exactly one, written once. `check_failed`, `check_error`, `review`, `blocked` and `oom` belong to
 * parts that come later; the store knows them from the start so that no row ever has to be rewritten.
 */
export const outcomes = [
  'done',
  'failed',
  'tempfail',
  'timed_out',
  'stalled',
  'killed',
  'oom',
  'incomplete',
  'check_failed',
  'check_error',
  'launch_failed',
  'stopped',
  'cancelled',
  'interrupted',
  'lost',
  'blocked',
  'review',
  'unknown',
] as const
export type Outcome = (typeof outcomes)[number]
