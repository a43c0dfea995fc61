import type { CodingTask } from './coding-task.ts'
import { javascriptTasks } from './javascript.ts'
import { pythonTasks } from './python.ts'
import { shellTasks } from './shell.ts'

/** Our own set of forty: of each language in turn, so that any first few are of all three. */
export const codingTasks: readonly CodingTask[] = Array.from({ length: 14 }).flatMap((_, n) =>
  [javascriptTasks[n], shellTasks[n], pythonTasks[n]].filter((task): task is CodingTask => task !== undefined),
)
