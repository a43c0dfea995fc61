/**
 * How a run ended: exactly one, written once. `check_failed` and `check_error` belong to a part that comes later; the
 * store knows them from the start so that no row ever has to be rewritten.
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
