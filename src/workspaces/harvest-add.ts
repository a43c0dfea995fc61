import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { GitFailed } from './git.ts'
import { addAsIs } from './harvest-add-as-is.ts'
import { BrokenFilters, faultOfGit, isFull } from './harvest-fault.ts'
import type { WorktreeGit } from './harvest-git.ts'

/** What `git add` came to, where it did not simply take everything. */
export interface Added {
  /** Nested repositories are among it, which need a look of their own. */
  readonly hasNested: boolean
  readonly notes: readonly string[]
  /** Sentences for what is in no commit: it is lost where the folder is removed. */
  readonly unstored: readonly string[]
}

/** A filter that hangs must not hold an end for longer. Two gigabytes take about a minute. */
const addMs = 10 * 60_000
/** Content above this is not held in memory by git, but streamed. */
export const streamedFrom = 'core.bigFileThreshold=64m'

/**
 * Puts everything that lies in the worktree and is not ignored into the index: changed, new, gone, modes, links, conflicts as
 * they lie there. What cannot be read stays in the worktree and is said. index_broken: git refuses, perhaps because of what
 * the index holds, so a fresh one is wanted; where it refuses with that too, the files are stored byte by byte. Throws
 * `BrokenFilters` where it refuses because of a filter.
 */
export async function addEverything(git: WorktreeGit, index: 'as_found' | 'fresh'): Promise<Added | 'index_broken'> {
  const config = ['core.safecrlf=false', streamedFrom]
  const answer = await git.try(addArguments(git), { config, timeoutMs: addMs })
  const { stderr } = answer
  if (answer.ok) return { hasNested: tellsNested(stderr), notes: [], unstored: sayUnread(stderr) }
  if (isIndexBroken(answer)) return 'index_broken'
  await throwIfHopeless(git, answer)
  // Single files that could not be read: the others are in.
  if (answer.exitCode === 1 && !/^fatal:/m.test(stderr))
    return { hasNested: tellsNested(stderr), notes: [], unstored: sayUnread(stderr) }
  if (index === 'as_found') return 'index_broken'
  const unstored = await addAsIs(git)
  const why = faultOfGit('add', answer).message
  return { hasNested: true, notes: [`${why}; changed files are recorded byte by byte`], unstored }
}

function addArguments({ adminDir }: WorktreeGit): readonly string[] {
  const sparse = existsSync(join(adminDir, 'info', 'sparse-checkout')) ? ['--sparse'] : []
  return ['add', '-A', '--ignore-errors', ...sparse, '--', '.']
}

/** Git says the same of a full disk; then a new one cannot be written either. */
function isIndexBroken({ stderr }: GitFailed): boolean {
  return /unable to write new index|index file corrupt|bad signature|bad index|index file smaller|null sha1/i.test(
    stderr,
  )
}

/** Neither a full disk, nor a lock of somebody who works there, nor a filter that fails is a matter of single files. */
async function throwIfHopeless(git: WorktreeGit, answer: GitFailed): Promise<void> {
  const fault = faultOfGit('add', answer)
  const { missing, aborted, timedOut, exitCode, stderr } = answer
  // One that is a running program (LFS) is not named when it could not be started, or went away.
  const isAnyFilter = timedOut || /external filter|filter-process|hung up unexpectedly/.test(stderr)
  if (isAnyFilter && !(fault instanceof BrokenFilters)) throw new BrokenFilters(await listFilters(git), fault.message)
  if (fault instanceof BrokenFilters || missing || aborted || isFull(answer) || exitCode === null) throw fault
  if (stderr.includes('index.lock')) throw fault
}

/** All that the configuration knows, where it is not told which of them hangs. */
async function listFilters(git: WorktreeGit): Promise<readonly string[]> {
  const args = ['config', '--name-only', '-z', '--get-regexp', String.raw`^filter\..*\.(clean|process)$`]
  const { stdout } = await git.try(args)
  const names = stdout.split('\0').map((key) => /^filter\.(.*)\.\w+$/s.exec(key)?.[1] ?? '')
  return [...new Set(names)].filter((name) => name !== '')
}

const tellsNested = (stderr: string): boolean =>
  stderr.includes('embedded git repository') || stderr.includes('does not have a commit checked out')

const mostUnread = 20

/** One sentence for what git could not read, with its own words. */
function sayUnread(stderr: string): readonly string[] {
  const lines = stderr
    .split('\n')
    .filter((line) => /^(error|warning): /.test(line))
    .filter((line) =>
      /Permission denied|can only add regular files|could not open|Input\/output error|unable to index file/.test(line),
    )
    .map((line) => line.replace(/^(error|warning): /, ''))
  const told = lines.filter((line) => !/^unable to index file/.test(line))
  const shown = told.length > 0 ? told : lines
  if (shown.length === 0) return []
  const more = shown.length > mostUnread ? ` and ${shown.length - mostUnread} more` : ''
  return [
    `could not be read, and is not recorded (it stays in the worktree): ${shown.slice(0, mostUnread).join('; ')}${more}`,
  ]
}
