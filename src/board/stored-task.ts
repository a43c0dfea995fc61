import type { Task } from './task.ts'

/** A card with what only the board itself needs of it. */
export interface StoredTask extends Task {
  /** The queue it waits in: what is held or let through together, and the exclusive folder ('' for none). */
  readonly queueGroup: number
  readonly folder: string
  /** `tempfail` ends since the last reset. */
  readonly tempfails: number
  /** Caps and streaks count the runs after this one. */
  readonly resetRun: number
  /** It was let through as a canary of its batch. */
  readonly canary: boolean
  /** It was blocked while it was under review, and goes back there. */
  readonly fromReview: boolean
  /** Attempts of its reviewer in a row that gave no verdict. */
  readonly reviewFailures: number
  /** How often a reviewer lane asked for changes since the last reset. */
  readonly rejections: number
}

/** The card as everybody else sees it. */
export function publicTask(stored: StoredTask): Task {
  const { queueGroup, folder, tempfails, resetRun, canary, fromReview, reviewFailures, rejections, ...task } = stored
  return task
}
