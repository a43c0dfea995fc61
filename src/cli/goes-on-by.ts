import type { TaskView } from '../api/contract/index.ts'

/**
 * What lets a held task go on: a question wants its answer, a review its verdict, an end that asks for a person a retry, a
 * person's own block an unblock.
 */
export function goesOnBy({
  id,
  status,
  hold,
  last_run,
}: Pick<TaskView, 'id' | 'status' | 'hold' | 'last_run'>): string {
  if (status === 'review') return `yardmaster approve T${id}`
  if (last_run?.outcome === 'blocked' && last_run.call?.kind === 'block') return `yardmaster answer T${id} "…"`
  const byItsEnd = hold === null || hold.code === 'stopped' || hold.code === last_run?.outcome
  return `yardmaster ${byItsEnd ? 'retry' : 'unblock'} T${id}`
}
