import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { isFields, type TaskId } from '../kernel/index.ts'

/**
 * What lies beside each folder that we have made for a task: `<home>/workspaces/T5.made`. Only a folder whose mark carries
 * its device and number is ever changed or removed by us. A scratch folder's mark is that number alone, one line of text;
 * a worktree's is JSON and says `making` while it is half done, so that a kill at any moment leaves something that the
 * next call can take back.
 */
export type Mark = ScratchMark | WorktreeMark

export interface ScratchMark {
  readonly kind: 'scratch'
  readonly identity: string
}

export interface WorktreeMark {
  readonly kind: 'worktree'
  readonly version: 1
  /**
   * retired: its folder is not there, and its branch is kept for a retry. making_again: it is being made for that branch, so what
   * goes wrong, or is killed, leaves it retired: a task never forgets the branch that has its work.
   */
  readonly state: 'making' | 'making_again' | 'ready' | 'retired'
  readonly task: TaskId
  /** `dev:ino` of the folder; null while it is being made. */
  readonly identity: string | null
  /** As the task named it: absolute path or URL. */
  readonly repo: string
  /** Real path of what all worktrees of the repository share. */
  readonly gitDir: string
  /** Git's own folder for this worktree, in `gitDir`; null while it is being made. */
  readonly adminDir: string | null
  readonly branch: string
  /** The branch was there before: it is not ours to take back when making the folder fails. */
  readonly branchWasThere: boolean
  readonly baseRef: string | null
  readonly baseCommit: string
  readonly setup: SetupMark | null
}

export interface SetupMark {
  /** Of the setup's text and of what it depends on. Null: begun, and not done. */
  readonly done: string | null
  /** Untracked and ignored files that were there before it first ran; null: too many to tell. */
  readonly before: readonly string[] | null
  /** What it made: paths below the top, folders with a closing slash. */
  readonly made: readonly string[]
}

/** Undefined: there is none. `broken`: there is something, and it is no mark of ours. */
export function readMark(path: string): Mark | 'broken' | undefined {
  const file = markFile(path)
  const stat = lstatSync(file, { throwIfNoEntry: false })
  if (stat === undefined) return undefined
  if (!stat.isFile() || stat.size > mostMarkBytes) return 'broken'
  const text = readFileSync(file, 'utf8')
  const scratch = /^(\d+:\d+)\n$/.exec(text)
  if (scratch !== null) return { kind: 'scratch', identity: scratch[1] ?? '' }
  try {
    const value: unknown = JSON.parse(text)
    return isWorktreeMark(value) ? value : 'broken'
  } catch {
    return 'broken' // cut or foreign
  }
}

/** Written by rename: a reader finds the old one or the new one. */
export function writeMark(path: string, mark: Mark): void {
  const text = mark.kind === 'scratch' ? `${mark.identity}\n` : `${JSON.stringify(mark, null, 1)}\n`
  const unfinished = `${markFile(path)}.new`
  rmSync(unfinished, { force: true }) // never written through: it could be a link
  writeFileSync(unfinished, text, { mode: 0o600, flag: 'wx' })
  renameSync(unfinished, markFile(path))
}

export function removeMark(path: string): void {
  rmSync(markFile(path), { force: true })
}

/** Device and number of the folder itself, never of what a link leads to: one that was put in its place has others. */
export function identityOf(path: string): string | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  return stat?.isDirectory() === true ? `${stat.dev}:${stat.ino}` : undefined
}

const mostMarkBytes = 16 * 1024 * 1024
export const markFile = (path: string): string => `${path}.made`

function isWorktreeMark(value: unknown): value is WorktreeMark {
  if (!isFields(value) || value.kind !== 'worktree' || value.version !== 1) return false
  const texts = [value.repo, value.gitDir, value.branch, value.baseCommit]
  return (
    ['making', 'making_again', 'ready', 'retired'].includes(String(value.state)) &&
    typeof value.task === 'number' &&
    texts.every((each) => typeof each === 'string' && each !== '') &&
    [value.identity, value.adminDir, value.baseRef].every((each) => each === null || typeof each === 'string')
  )
}
