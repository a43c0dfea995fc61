import { createRedactor, type YardError } from '../kernel/index.ts'
import type { GitFailed } from './git.ts'
import { gitError } from './git-errors.ts'

/**
 * Whose it is to mend. task: the card or its repository. machine: git, disk or network of this host, another attempt may do.
 * short: no room; nothing half was left.
 */
export type FaultOf = 'task' | 'machine' | 'short'

export interface WorkspaceFault {
  readonly ok: false
  readonly fault: FaultOf
  readonly error: YardError
}

export interface GitPurpose {
  /** `make the worktree`, after "git could not". */
  readonly doing: string
  readonly repo: string
}

export function faultOf(fault: FaultOf, error: YardError): WorkspaceFault {
  return { ok: false, fault, error }
}

/** What a failure of git means for a task that needs a workspace. Its words are read in English (LC_ALL=C). */
export function explainGit(answer: GitFailed, { doing, repo }: GitPurpose): WorkspaceFault {
  const said = lastWords(answer)
  const { stderr } = answer
  if (answer.aborted) return faultOf('machine', gitError('WORKSPACES_GIT_STOPPED', { doing, said }))
  if (answer.missing) return faultOf('machine', gitError('WORKSPACES_GIT_MISSING', {}))
  if (answer.timedOut) return faultOf('machine', gitError('WORKSPACES_GIT_SLOW', { doing, said }))
  if (isDiskFull(stderr)) return faultOf('short', gitError('WORKSPACES_DISK_FULL', { doing, said }))
  if (/dubious ownership|unsafe repository/.test(stderr)) {
    return faultOf('task', gitError('WORKSPACES_REPO_OF_OTHER', { repo, said: stderr.split('\n')[0] ?? said }))
  }
  if (/not a git repository/.test(stderr)) return faultOf('task', gitError('WORKSPACES_NO_REPOSITORY', { repo }))
  if (/Permission denied|Read-only file system/.test(stderr)) {
    return faultOf('task', gitError('WORKSPACES_REPO_CLOSED', { repo, said }))
  }
  const fault = isShortOfElse(stderr) ? 'short' : answer.exitCode === null ? 'machine' : 'task'
  return faultOf(fault, gitError('WORKSPACES_GIT_FAILED', { doing, said }))
}

/** The same for what talks to another machine: what is not known is the line's fault, and is tried again. */
export function explainRemote(answer: GitFailed, { doing, url }: { doing: string; url: string }): WorkspaceFault {
  const { stderr } = answer
  const said = lastWords(answer)
  if (answer.aborted || answer.missing || isDiskFull(stderr)) return explainGit(answer, { doing, repo: url })
  if (answer.timedOut)
    return faultOf('machine', gitError('WORKSPACES_REMOTE_GONE', { url, said: 'it did not answer in time' }))
  if (asksForLogin.test(stderr)) return faultOf('task', gitError('WORKSPACES_REMOTE_ASKS', { url, said }))
  if (isNotThere.test(stderr)) return faultOf('task', gitError('WORKSPACES_REMOTE_MISSING', { url, said }))
  return faultOf('machine', gitError('WORKSPACES_REMOTE_GONE', { url, said }))
}

const asksForLogin =
  /terminal prompts disabled|could not read (Username|Password)|Authentication failed|Permission denied \(|Host key verification failed|HTTP 40[13]|error: 40[13]/
const isNotThere =
  /[Rr]epository '?.*'? ?not found|does not appear to be a git repository|not a git repository|does not exist|error: 404|ERROR: Repository not found/

export const isDiskFull = (stderr: string): boolean => /No space left on device|[Dd]isk quota exceeded/.test(stderr)

/** Processes, memory, open files: the machine is out of them for a while. Also where git could not be started at all. */
export const isShortOfElse = (stderr: string): boolean =>
  /Cannot allocate memory|Resource temporarily unavailable|Too many open files|\b(EAGAIN|ENOMEM|EMFILE|ENFILE)\b/.test(
    stderr,
  )

const maskSecrets = createRedactor([])

/** What git said last that says something: its `fatal:` or `error:`, without a secret in it. */
export function lastWords({ stderr, exitCode, signal }: GitFailed): string {
  const lines = stderr.split('\n').map((line) => line.trim())
  const told = lines.find((line) => /^fatal: /.test(line)) ?? lines.find((line) => /^error: /.test(line))
  const words = told ?? lines.findLast((line) => line !== '') ?? ''
  if (words === '') return signal === null ? `exit ${exitCode}` : `ended by ${signal}`
  return maskSecrets(words.replace(/^(fatal|error): /, '')).slice(0, 500)
}
