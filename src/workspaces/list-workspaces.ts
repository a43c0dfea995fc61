import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseId, realPath, type TaskId, taskId } from '../kernel/index.ts'
import { identityOf, type Mark, readMark } from './mark.ts'

/** What lies in `<home>/workspaces`, and whether we have made it. */
export interface ListedWorkspace {
  readonly path: string
  /** Null: no name that we give. */
  readonly task: TaskId | null
  /** foreign: not made by us, or another one in its place: it is never touched. gone: only its mark is left. */
  readonly kind: 'scratch' | 'worktree' | 'foreign' | 'gone'
  readonly mark: Mark | null
}

/** Every folder of a task, by number; what is there besides is told as foreign. Each is looked at when it is asked for. */
export function* listWorkspaces(home: string): Generator<ListedWorkspace> {
  const folder = join(realPath(home), 'workspaces')
  const names = lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : []
  const tasks = new Set(names.map((name) => name.replace(/\.made(\.new)?$/, '')))
  for (const name of [...tasks].toSorted((one, other) => numberOf(one) - numberOf(other))) {
    const found = lookAt(join(folder, name), name)
    if (found !== undefined) yield found
  }
}

const numberOf = (name: string): number => parseId('T', name) ?? Number.MAX_SAFE_INTEGER

function lookAt(path: string, name: string): ListedWorkspace | undefined {
  const id = name.startsWith('T') ? parseId('T', name) : undefined
  const task = id === undefined ? null : taskId(id)
  const read = readMark(path)
  const mark = read === undefined || read === 'broken' ? null : read
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) {
    const isLeft = mark?.kind === 'worktree' && mark.state === 'ready'
    return isLeft ? { path, task, kind: 'gone', mark } : undefined
  }
  const isOurs = task !== null && mark?.identity != null && mark.identity === identityOf(path)
  return { path, task, kind: isOurs ? mark.kind : 'foreign', mark }
}
