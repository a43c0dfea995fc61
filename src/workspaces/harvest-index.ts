import { existsSync, lstatSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { BrokenFilters, faultOfGit } from './harvest-fault.ts'
import type { WorktreeGit } from './harvest-git.ts'
import type { ContentOf } from './harvest-untouched.ts'
import { below, joinNul, textOfPath } from './patch-path.ts'

/** What of an index decides how it is brought up to date. */
export interface IndexFacts {
  /** Marked so that git does not look whether they have changed. */
  readonly assumedUnchanged: readonly Buffer[]
  /** Marked as not to be in the folder. */
  readonly skipped: readonly Buffer[]
  /** Left in conflict. */
  readonly conflicted: readonly string[]
  /** Other repositories: submodules, or nested ones. */
  readonly gitlinks: readonly Buffer[]
  readonly contentOf: ContentOf
}

/** Reads all entries of the index, and keeps those that are out of the ordinary; undefined where it cannot be read. */
export async function readIndex(git: WorktreeGit): Promise<IndexFacts | undefined> {
  const answer = await git.try(['ls-files', '-v', '-s', '-z'], { maxBytes: mostIndexBytes })
  if (!answer.ok) return undefined
  const { bytes } = answer
  const assumedUnchanged: Buffer[] = []
  const skipped: Buffer[] = []
  const conflicted = new Set<string>()
  const gitlinks: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(0, at)
    const tab = bytes.indexOf(9, at)
    // One that was cut short still passes for an index: of what is missing git reads zeros.
    if (tab + 1 >= end) return undefined
    // `H 100644 <content> 0<TAB>path`: almost all of them, so the letters are looked at as they lie there.
    const letter = bytes[at] ?? 0
    const isPlain = letter === 0x48 && bytes[tab - 1] === 0x30 && bytes[at + 3] === 0x30
    if (!isPlain) {
      const path = bytes.subarray(tab + 1, end)
      const upper = letter & ~0x20
      if (letter !== upper) assumedUnchanged.push(path)
      if (upper === 0x53) skipped.push(path)
      if (bytes[tab - 1] !== 0x30) conflicted.add(textOfPath(path))
      else if (bytes[at + 3] === 0x36) gitlinks.push(path)
    }
    at = end + 1
  }
  const contentOf = (path: Buffer) => findContent(bytes, path)
  return { assumedUnchanged, skipped, conflicted: [...conflicted], gitlinks, contentOf }
}

/** Looked for when asked: an index is large, and few of its entries are. */
function findContent(entries: Buffer, path: Buffer): string | undefined {
  const end = Buffer.concat([Buffer.from('\t'), path, Buffer.from([0])])
  for (let at = entries.indexOf(end); at !== -1; at = entries.indexOf(end, at + 1)) {
    const from = at === 0 ? 0 : entries.lastIndexOf(0, at - 1) + 1
    // A name may itself end like this.
    const found = /^. \d{6} ([0-9a-f]+) 0$/.exec(entries.toString('latin1', from, at))
    if (found !== null) return found[1]
  }
  return undefined
}

/** An index of a million files. */
const mostIndexBytes = 512 * 1024 * 1024

/**
 * Takes away the marks by which a worker can hide a change from `git add`. In a sparse checkout a file that is not there is
 * not deleted, and stays marked.
 */
export async function unmark(
  git: WorktreeGit,
  { assumedUnchanged, skipped }: IndexFacts,
): Promise<'ok' | 'index_broken'> {
  const isSparse = existsSync(join(git.adminDir, 'info', 'sparse-checkout'))
  const present = isSparse ? skipped.filter((path) => isThere(git.path, path)) : skipped
  const marks = [
    { flag: '--no-assume-unchanged', paths: assumedUnchanged },
    { flag: '--no-skip-worktree', paths: present },
  ]
  for (const { flag, paths } of marks) {
    if (paths.length === 0) continue
    const answer = await git.try(['update-index', flag, '-z', '--stdin'], { input: joinNul(paths) })
    if (answer.ok) continue
    const fault = faultOfGit('update-index', answer)
    if (fault instanceof BrokenFilters || answer.exitCode === null) throw fault
    return 'index_broken'
  }
  return 'ok'
}

/** A fresh index of what was committed, in the place of one that cannot be used; which stays where there is no room for it. */
export async function rebuildIndex(git: WorktreeGit, commit: string | null): Promise<void> {
  const fresh = `${git.indexFile}.new`
  rmSync(fresh, { force: true })
  await git.with({ indexFile: fresh, files: 'none' }).run(['read-tree', ...(commit === null ? ['--empty'] : [commit])])
  renameSync(fresh, git.indexFile)
}

function isThere(folder: string, path: Buffer): boolean {
  return lstatSync(below(folder, path), { throwIfNoEntry: false }) !== undefined
}
