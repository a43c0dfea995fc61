import { formatRunId, formatTaskId, type RunId, type TaskId } from '../kernel/index.ts'
import type { WorktreeGit } from './harvest-git.ts'
import type { Commit } from './harvest-look.ts'

/** Who commits what an attempt has left uncommitted. */
export const ourName = 'Yardmaster'
export const ourMail = 'yardmaster@localhost'

export interface CommitInput {
  readonly tree: string
  readonly parents: readonly string[]
  /** Null: of no attempt. */
  readonly run: RunId | null
  readonly task: TaskId
  readonly title: string
  readonly atMs: number
}

/** Stores the commit of what was left over; nothing refers to it yet. No hook runs. */
export async function storeCommit(git: WorktreeGit, input: CommitInput): Promise<Commit> {
  const { tree, parents, atMs } = input
  const message = composeMessage(input)
  const date = `${Math.floor(atMs / 1_000)} +0000`
  const env = {
    GIT_AUTHOR_NAME: ourName,
    GIT_AUTHOR_EMAIL: ourMail,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: ourName,
    GIT_COMMITTER_EMAIL: ourMail,
    GIT_COMMITTER_DATE: date,
  }
  const config = ['i18n.commitEncoding=UTF-8']
  const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-']
  const { stdout } = await git.with({ files: 'none' }).run(args, { input: message, env, config })
  return { id: stdout.trim(), tree, parents, message }
}

/** Whether a commit is the one that was made of what this attempt left over. */
export function isOfRun({ message }: Commit, run: RunId): boolean {
  return message.split('\n').includes(`${runTrailer}: ${formatRunId(run)}`)
}

export const taskTrailer = 'Yardmaster-Task'
export const runTrailer = 'Yardmaster-Run'

function composeMessage({ title, task, run }: CommitInput): string {
  const id = formatTaskId(task)
  const said = run === null ? '' : 'Left uncommitted at the end of the attempt.\n\n'
  const trailers = `${taskTrailer}: ${id}\n${run === null ? '' : `${runTrailer}: ${formatRunId(run)}\n`}`
  return `${subjectOf(title, id)}\n\n${said}${trailers}`
}

const longestSubject = 100

/** One line of a title: no control characters, at most 100 characters; the id of the task where nothing is left. */
export function subjectOf(title: string, otherwise: string): string {
  const line = title.replace(/[\p{Cc}\s\u2028\u2029]+/gu, ' ').trim()
  if (line === '') return otherwise
  const characters = [...line]
  return characters.length > longestSubject ? `${characters.slice(0, longestSubject - 1).join('')}…` : line
}
