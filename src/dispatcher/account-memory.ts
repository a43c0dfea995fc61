import type { TaskId } from '../kernel/index.ts'
import { type BareTempfail, gateNumbers } from './gates.ts'

/**
 * What the ends of the last while said about accounts. Kept in memory only: after a restart the first ends tell it again, and
 * what is missing until then lets a task have one try more, never one less.
 */
export interface AccountMemory {
  noteServed(account: string, served: { readonly task: TaskId; readonly atMs: number }): void
  noteBare(account: string, bare: BareTempfail): void
  /** 75s without a reason of the last minute. */
  bareOf(account: string): readonly BareTempfail[]
  /** Another task was served since this attempt began. */
  servedOthers(account: string, attempt: { readonly task: TaskId; readonly startedAtMs: number }): boolean
}

export function createAccountMemory(): AccountMemory {
  const served = new Map<string, Map<TaskId, number>>()
  const bare = new Map<string, readonly BareTempfail[]>()
  return {
    noteServed(account, { task, atMs }) {
      const tasks = served.get(account) ?? new Map<TaskId, number>()
      served.set(account, tasks)
      tasks.delete(task)
      tasks.set(task, atMs)
      // Two are enough to know of another one; they are kept in the order of their times.
      for (const oldest of tasks.keys()) {
        if (tasks.size <= 2) break
        tasks.delete(oldest)
      }
    },
    noteBare(account, noted) {
      const fresh = (bare.get(account) ?? []).filter(({ atMs }) => atMs > noted.atMs - gateNumbers.bareWithinMs)
      bare.set(account, [...fresh, noted])
    },
    bareOf: (account) => bare.get(account) ?? [],
    servedOthers(account, { task, startedAtMs }) {
      return [...(served.get(account) ?? [])].some(([other, atMs]) => other !== task && atMs >= startedAtMs)
    },
  }
}
