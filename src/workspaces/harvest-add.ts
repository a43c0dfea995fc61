import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { GitFailed } from './git.ts'
import { addAsIs } from './harvest-add-as-is.ts'
import { faultOfGit, HarvestFault, isFull } from './harvest-fault.ts'
import type { WorktreeGit } from './harvest-git.ts'

/** What `git add` came to, where it did not simply take everything. */
export interface Added {
  /** Nested repositories are among it, which need a look of their own. */
  readonly hasNested: boolean
  readonly notes: readonly string[]
}

/** A filter that hangs must not hold an end for longer. Two gigabytes take about a minute. */
const addMs = 10 * 60_000
/** Content above this is not held in memory by git, but streamed. */
export const streamedFrom = 'core.bigFileThreshold=64m'

/**
 * Puts everything that lies in the worktree and is not ignored into the index: changed, new, gone, modes, links, conflicts as
 * they lie there. Where a filter of the repository fails, without that filter; where git refuses for another reason, the
 * files as they are. What cannot be read stays in the worktree and is said. index_broken: the index holds what git cannot
 * write again.
 */
export async function addEverything(git: WorktreeGit): Promise<Added | 'index_broken'> {
  const notes: string[] = []
  const off = new Set<string>()
  for (;;) {
    const answer = await git.try(addArguments(git), {
      config: ['core.safecrlf=false', streamedFrom, ...[...off].flatMap(withoutFilter)],
      timeoutMs: addMs,
    })
    const { stderr } = answer
    if (answer.ok) return { hasNested: tellsNested(stderr), notes: [...notes, ...sayUnread(stderr)] }
    if (isIndexBroken(answer)) return 'index_broken'
    throwIfHopeless(answer)
    const filter = /clean filter '([^']+)' failed|external filter '([^']+)'/
      .exec(stderr)
      ?.slice(1)
      .find((name) => name !== undefined)
    const broken = await brokenFilters(git, { name: filter, off, timedOut: answer.timedOut })
    if (broken.length > 0) {
      for (const name of broken) off.add(name)
      notes.push(
        `the filter ${broken.join(', ')} of the repository failed: files that it is for are recorded as they lie there`,
      )
      continue
    }
    if (!/^fatal:/m.test(stderr)) return { hasNested: tellsNested(stderr), notes: [...notes, ...sayUnread(stderr)] }
    const unread = await addAsIs(git, [...off].flatMap(withoutFilter))
    const why = faultOfGit('add', answer).message
    return { hasNested: true, notes: [...notes, `${why}; changed files are recorded as they lie there`, ...unread] }
  }
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

/** Neither a full disk nor a lock of somebody who works there is a matter of single files. */
function throwIfHopeless(answer: GitFailed): void {
  if (answer.missing || answer.aborted || isFull(answer) || answer.stderr.includes('index.lock')) {
    throw faultOfGit('add', answer)
  }
  if (answer.exitCode === null && !answer.timedOut) throw faultOfGit('add', answer)
}

const withoutFilter = (name: string): readonly string[] =>
  ['clean=', 'smudge=', 'process=', 'required=false'].map((each) => `filter.${name}.${each}`)

/** Which filters to leave out now: the one that was named, or all of them where none was and one hangs or is not known. */
async function brokenFilters(
  git: WorktreeGit,
  {
    name,
    off,
    timedOut,
  }: { readonly name: string | undefined; readonly off: ReadonlySet<string>; readonly timedOut: boolean },
): Promise<readonly string[]> {
  if (name !== undefined && !off.has(name)) return [name]
  if (name === undefined && !timedOut) return []
  const answer = await git.try([
    'config',
    '--name-only',
    '-z',
    '--get-regexp',
    String.raw`^filter\..*\.(clean|process)$`,
  ])
  const names = answer.stdout.split('\0').map((key) => /^filter\.(.*)\.\w+$/s.exec(key)?.[1])
  const left = [...new Set(names)].filter((each) => each !== undefined && !off.has(each)) as string[]
  if (left.length === 0 && timedOut)
    throw new HarvestFault('machine', `git add did not end within ${addMs / 60_000} minutes`)
  return left
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
