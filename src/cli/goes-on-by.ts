import type { TaskView } from '../api/contract/index.ts'

/** What lets a held task go on: an end that asks for a person wants a retry, a person's own block an unblock. */
export function goesOnBy({ id, hold, last_run }: Pick<TaskView, 'id' | 'hold' | 'last_run'>): string {
  const byItsEnd = hold === null || hold.code === 'stopped' || hold.code === last_run?.outcome
  return `yardmaster ${byItsEnd ? 'retry' : 'unblock'} T${id}`
}
