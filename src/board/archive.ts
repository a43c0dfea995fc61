import type { TaskId } from '../kernel/index.ts'
import type { Task } from './task.ts'

/** What becomes of the cards that wait for an archived one, in the words of the record. Whoever archives chooses. */
export const archiveChildren = {
  /** Their need counts as met, whatever the end of the archived card was. */
  release: 'may start without it',
  /** They stay as they are: a retry of the archived card lets them go. */
  wait: 'go on waiting for it',
  /** They are cancelled and archived, and so is what waits for them. */
  archive: 'are cancelled and archived with it',
} as const
export type ArchiveChildren = keyof typeof archiveChildren

export interface Archived {
  readonly task: Task
  /** Whom the choice concerned, further down included. */
  readonly children: readonly TaskId[]
}
