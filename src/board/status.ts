import { statusWords } from '../kernel/index.ts'

/** Where a task stands. Archived is a flag on a settled task, not a status. */
export const taskStatuses = [
  'triage',
  'todo',
  'ready',
  'running',
  'review',
  'blocked',
  'done',
  'failed',
  'cancelled',
] as const
export type TaskStatus = (typeof taskStatuses)[number]

/** Settled: nothing more happens to the task unless a person reopens or retries it. */
export const settledStatuses = ['done', 'failed', 'cancelled'] as const satisfies readonly TaskStatus[]
export type SettledStatus = (typeof settledStatuses)[number]
export const isSettled = (status: TaskStatus): status is SettledStatus =>
  (settledStatuses as readonly TaskStatus[]).includes(status)

const words: Readonly<Record<TaskStatus, string>> = statusWords

/** A status in the words of people (files-and-cli, "Words for people"), as every message says it. */
export const sayStatus = (status: TaskStatus): string => words[status]
