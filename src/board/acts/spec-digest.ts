import { createHash } from 'node:crypto'
import type { NewTask } from '../new-tasks.ts'

/**
 * Tells whether an edited file says something else of a task: its texts, lane, priority and needs. Not the time it
 * may start at, because "07:30" is another moment each day, and not what was found around the file: another branch may be
 * checked out today.
 */
export function specDigest({ spec, lane, priority, needs }: NewTask): string {
  const { repo: _, repoBranch: __, ...written } = spec
  const said = { spec: written, lane, priority: priority ?? 0, needs: needs ?? [] }
  return createHash('sha256').update(JSON.stringify(said, sortedKeys)).digest('hex')
}

function sortedKeys(_key: string, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
