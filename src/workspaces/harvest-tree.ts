import { rmSync } from 'node:fs'
import { nameSome } from '../kernel/index.ts'
import type { GitAnswer } from './git.ts'
import { addEverything } from './harvest-add.ts'
import { BrokenFilters, faultOfGit, HarvestFault, isFull } from './harvest-fault.ts'
import type { WorktreeGit } from './harvest-git.ts'
import { type IndexFacts, readIndex, rebuildIndex, unmark } from './harvest-index.ts'
import type { Left } from './harvest-look.ts'
import { nothing, type Recorded, recordNested } from './harvest-nested.ts'
import type { Place } from './harvest-place.ts'
import { type ContentOf, findUntouched } from './harvest-untouched.ts'
import { findDirtySubmodules } from './look-at-submodules.ts'
import { splitNul, textOfPath } from './patch-path.ts'

/** What lay in a worktree, stored. */
export interface Gathered {
  readonly tree: string
  /** Without the filters that fail. */
  readonly git: WorktreeGit
  readonly notes: readonly string[]
  /** Sentences for what is in `tree` not at all: it is lost where the folder is removed. */
  readonly unstored: readonly string[]
}

/** Stores all files of the worktree that are not ignored, and leaves its index saying so. No file of it changes. */
export async function gatherTree({ git, head, files }: Place, left: Left): Promise<Gathered> {
  const under = left.head ?? left.branch
  if (files === 'none') {
    const known = under ?? left.kept
    if (known === null) throw new HarvestFault('gone', 'neither the worktree nor its branch is there any more')
    return { tree: known.tree, git, ...nothing }
  }
  if (head === 'worktree') return await gatherWithout(git, left, [])
  try {
    await rebuildIndex(git, under?.id ?? null)
    return await gatherWithout(git, left, [])
  } finally {
    rmSync(git.indexFile, { force: true })
  }
}

/** Leaves out, from the beginning on, each filter that turns out to fail: git looks through them whenever it writes an index. */
async function gatherWithout(git: WorktreeGit, left: Left, broken: readonly string[]): Promise<Gathered> {
  try {
    const { notes, ...gathered } = await gather(git.with({ config: broken.flatMap(withoutFilter) }), left)
    if (broken.length === 0) return { notes, ...gathered }
    const says = `the filter ${broken.join(', ')} of the repository fails: what it is for is recorded as it lay there`
    return { notes: [says, ...notes], ...gathered }
  } catch (fault) {
    const more = fault instanceof BrokenFilters ? fault.filters.filter((name) => !broken.includes(name)) : []
    if (more.length === 0) throw fault
    return await gatherWithout(git, left, [...broken, ...more])
  }
}

const withoutFilter = (name: string): readonly string[] =>
  ['clean=', 'smudge=', 'process=', 'required=false'].map((each) => `filter.${name}.${each}`)

async function gather(git: WorktreeGit, left: Left): Promise<Gathered> {
  const facts = await readIndex(git)
  if (facts === undefined || (await unmark(git, facts)) === 'index_broken') return await gatherAnew(git, left)
  const added = await addEverything(git, 'as_found')
  if (added === 'index_broken') return await gatherAnew(git, left)
  const { hasNested } = added
  const nested = hasNested || facts.gitlinks.length > 0 ? await recordNested(git, { base: left.base.id }) : nothing
  const [written, unrecorded, inSubmodules] = await Promise.all([
    writeTree(git, left, facts.contentOf),
    findUnrecorded(git),
    facts.gitlinks.length > 0 ? saySubmodules(git) : nothing,
  ])
  // An index may name content that is not there: a worker can write anything into it.
  if (!written.ok) {
    const fault = faultOfGit('write-tree', written)
    if (fault instanceof BrokenFilters || isFull(written)) throw fault
    return await gatherAnew(git, left)
  }
  const all = [{ notes: sayConflicts(facts), unstored: [] }, added, nested, unrecorded, inSubmodules]
  return { git, tree: written.stdout.trim(), ...join(all) }
}

async function gatherAnew(git: WorktreeGit, left: Left): Promise<Gathered> {
  await rebuildIndex(git, (left.head ?? left.branch)?.id ?? null)
  const added = await addEverything(git, 'fresh')
  if (added === 'index_broken') throw new HarvestFault('short', 'the index of the worktree cannot be written')
  const { hasNested } = added
  const nested = hasNested ? await recordNested(git, { base: left.base.id }) : nothing
  const written = await writeTree(git, left, undefined)
  if (!written.ok) throw faultOfGit('write-tree', written)
  const tree = written.stdout.trim()
  const unrecorded = await findUnrecorded(git)
  const inSubmodules = await saySubmodules(git)
  const anew = { notes: ['the index could not be used and was made anew'], unstored: [] }
  return { git, tree, ...join([anew, added, nested, unrecorded, inSubmodules]) }
}

/** Written once more where the index called files changed that nobody has touched: it says of them again what the commit says. */
async function writeTree(git: WorktreeGit, left: Left, before: ContentOf | undefined): Promise<GitAnswer> {
  const commit = (left.head ?? left.branch ?? left.base).id
  const [written, untouched] = await Promise.all([git.try(['write-tree']), findUntouched(git, { commit, before })])
  if (!written.ok || untouched.length === 0) return written
  await git.run(['update-index', '-z', '--index-info'], { input: Buffer.concat(untouched) })
  return await git.try(['write-tree'])
}

const join = (all: readonly Recorded[]): Recorded => ({
  notes: all.flatMap(({ notes }) => notes),
  unstored: all.flatMap(({ unstored }) => unstored),
})

function sayConflicts({ conflicted }: IndexFacts): readonly string[] {
  if (conflicted.length === 0) return []
  return [`left in conflict, and committed as they lay there: ${nameSome(conflicted, mostShown)}`]
}

/** What git still calls untracked when everything was added: empty folders, and what could not be read. */
async function findUnrecorded(git: WorktreeGit): Promise<Recorded> {
  const args = ['ls-files', '-z', '-o', '--directory', '--exclude-standard']
  const { bytes } = await git.run(args, { maxBytes: 512 * 1024 * 1024 })
  const paths = splitNul(bytes).map(textOfPath)
  const folders = paths.filter((path) => path.endsWith('/'))
  const others = paths.filter((path) => !path.endsWith('/'))
  return {
    notes: folders.length === 0 ? [] : [`git does not record empty folders: ${nameSome(folders, mostShown)}`],
    unstored: others.length === 0 ? [] : [`not recorded, it stays in the worktree: ${nameSome(others, mostShown)}`],
  }
}

/** A submodule is recorded by the number of its commit, so what is not committed in it is in no patch. It stays where it is. */
async function saySubmodules(git: WorktreeGit): Promise<Recorded> {
  const dirty = (await findDirtySubmodules(git)) ?? []
  const says = `changed files that are not committed in a submodule are not recorded, and stay there: ${nameSome(dirty, mostShown)}`
  return { notes: dirty.length === 0 ? [] : [says], unstored: [] }
}

const mostShown = 20
