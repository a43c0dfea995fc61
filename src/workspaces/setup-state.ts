import { createHash } from 'node:crypto'
import { createReadStream, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { realPath } from '../kernel/index.ts'
import type { GitDeps } from './git.ts'
import { worktreeGit } from './harvest-git.ts'
import { readMark, type SetupMark, type WorktreeMark, writeMark } from './mark.ts'
import { isInside } from './resolve-workspace.ts'
import type { Worktree } from './worktree.ts'

/** The same shape as the board's `SetupSpec`, as far as it matters here. */
export interface AskedSetup {
  readonly run: string | readonly string[]
  /** Files whose contents decide whether what it makes may be copied to another worktree. */
  readonly key?: readonly string[]
}

export interface SetupInput {
  readonly worktree: Worktree
  readonly setup: AskedSetup
}

/**
 * Whether the setup has to run before the work: it has not in this worktree, not to its end, or not with this text and these
 * contents of its key files. What lies there besides git's own files is noted, so that what it makes can be told later.
 */
export async function isSetupDue(deps: GitDeps, { worktree, setup }: SetupInput): Promise<boolean> {
  const mark = markOf(worktree)
  if (mark === undefined) return true
  if (mark.setup?.done === (await fingerprintSetup({ worktree, setup }))) return false
  const begun = mark.setup ?? { before: await listBefore(deps, worktree), made: [] }
  writeMark(worktree.path, { ...mark, setup: { ...begun, done: null } })
  return true
}

/** The setup has ended well: it does not run again here while nothing that it depends on changes. */
export async function markSetupDone(deps: GitDeps, { worktree, setup }: SetupInput): Promise<void> {
  const done = await fingerprintSetup({ worktree, setup })
  const made = await listMade(deps, worktree)
  const mark = markOf(worktree)
  if (mark === undefined) return
  writeMark(worktree.path, { ...mark, setup: { before: mark.setup?.before ?? null, made: made ?? [], done } })
}

/** What is on record of the setup of this very worktree. */
export function readSetupMark(worktree: Worktree): SetupMark | undefined {
  return markOf(worktree)?.setup ?? undefined
}

function markOf({ path, adminDir }: Worktree): WorktreeMark | undefined {
  const mark = readMark(path)
  return mark !== undefined && mark !== 'broken' && mark.kind === 'worktree' && mark.adminDir === adminDir
    ? mark
    : undefined
}

/** Hex. Another text, another content of a key file, another kind of machine or major version of Node is another setup. */
export async function fingerprintSetup({ worktree, setup }: SetupInput): Promise<string> {
  const hash = createHash('sha256')
  const { platform, arch, versions } = process
  hash.update(JSON.stringify([1, setup.run, platform, arch, versions.node.split('.')[0]]))
  for (const name of [...(setup.key ?? [])].sort()) {
    hash.update(`\0${name}\0`)
    const file = join(worktree.path, name)
    const isOurs = isInside(worktree.path, realPath(file))
    if (!isOurs || lstatSync(realPath(file), { throwIfNoEntry: false })?.isFile() !== true)
      hash.update(`none in ${worktree.repo}`) // else two repositories that lack it would share what their setups make
    else for await (const chunk of createReadStream(file)) hash.update(chunk)
  }
  return hash.digest('hex')
}

/** More untracked files than this before the setup, and what it makes cannot be told cheaply. */
const mostBefore = 20_000

async function listBefore(deps: GitDeps, worktree: Worktree): Promise<readonly string[] | null> {
  const files = await listOthers(deps, worktree, [])
  return files === undefined || files.length > mostBefore ? null : files
}

/** Untracked and ignored paths that were not there before, whole folders where all in them is new. Undefined: cannot be told. */
async function listMade(deps: GitDeps, worktree: Worktree): Promise<readonly string[] | undefined> {
  const before = markOf(worktree)?.setup?.before
  const after = await listOthers(deps, worktree, ['--directory'])
  if (before === undefined || before === null || after === undefined) return undefined
  const known = new Set(before)
  const made: string[] = []
  for (const path of after) {
    const isMixed = path.endsWith('/') && before.some((each) => each.startsWith(path))
    if (!isMixed) {
      if (!known.has(path)) made.push(path)
      continue
    }
    const inner = await listOthers(deps, worktree, ['--', `:(literal)${path}`])
    if (inner === undefined) return undefined
    made.push(...inner.filter((each) => !known.has(each)))
  }
  return made
}

async function listOthers(
  deps: GitDeps,
  worktree: Worktree,
  args: readonly string[],
): Promise<readonly string[] | undefined> {
  const answer = await worktreeGit(deps, worktree).try(['ls-files', '-z', '--others', ...args])
  // A name that is no text could not be written into the mark and found again.
  if (!answer.ok || !Buffer.from(answer.stdout).equals(answer.bytes)) return undefined
  return answer.stdout.split('\0').filter((path) => path !== '')
}
