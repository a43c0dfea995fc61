/** Why a task is not running: a code for programs, words for people, and what to type (design P6). */
export const whyCodes = [
  'running',
  'settled',
  'draft',
  'blocked',
  'review',
  'need_open',
  'need_failed',
  'later',
  'account_held',
  'account_parked',
  'account_probing',
  'account_full',
  'lane_full',
  'lane_unknown',
  'slots_full',
  'batch_slots_full',
  'batch_cut',
  'batch_canary',
  'batch_counting',
  'folder_busy',
  'paused',
  'draining',
  'disk_low',
  'no_hub',
  'next',
  'ending',
  'elsewhere',
  'held',
] as const
export type WhyCode = (typeof whyCodes)[number]

/** Whether a hub works the yard: one that is `leaving` starts nothing more, though no hold says so. */
export type HubPresence = 'up' | 'leaving' | 'none'

export interface Explanation {
  readonly code: WhyCode
  /** `T6 does not run: account claude is held until 14:00, in 38 min` */
  readonly says: string
  readonly sinceMs: number | null
  /** When it may change by itself, where that is known. */
  readonly untilMs: number | null
  /** What happens then, where that is known. */
  readonly then: string | null
  /** Commands that would change it, ready to type. */
  readonly youCan: readonly string[]
}
