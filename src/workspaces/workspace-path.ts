import { join } from 'node:path'
import { formatTaskId, realPath, type TaskId } from '../kernel/index.ts'

/** `<home>/workspaces/T5` in its one real form (C178): at most 20 bytes longer than the home up to T9999999. */
export function workspacePath(home: string, task: TaskId): string {
  return join(realPath(home), 'workspaces', formatTaskId(task))
}
