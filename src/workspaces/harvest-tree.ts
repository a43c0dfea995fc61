import { rmSync } from 'node:fs'
import { addEverything } from './harvest-add.ts'
import { splitNul } from './harvest-add-as-is.ts'
import { HarvestFault } from './harvest-fault.ts'
import type { WorktreeGit } from './harvest-git.ts'
import { type IndexFacts, readIndex, rebuildIndex, unmark } from './harvest-index.ts'
import type { Left } from './harvest-look.ts'
import { recordNested } from './harvest-nested.ts'
import type { Place } from './harvest-place.ts'
import { textOfPath } from './patch-path.ts'

/** What lay in a worktree, stored. */
export interface Gathered {
  readonly tree: string
  readonly notes: readonly string[]
}

/** Stores all files of the worktree that are not ignored, and leaves its index saying so. No file of it changes. */
export async function gatherTree({ git, head, files }: Place, left: Left): Promise<Gathered> {
  const under = left.head ?? left.branch
  if (files === 'none') {
    const known = under ?? left.kept
    if (known === null) throw new HarvestFault('gone', 'neither the worktree nor its branch is there any more')
    return { tree: known.tree, notes: [] }
  }
  if (head === 'worktree') return await gather(git, left)
  try {
    await rebuildIndex(git, under?.id ?? null)
    return await gather(git, left)
  } finally {
    rmSync(git.indexFile, { force: true })
  }
}

async function gather(git: WorktreeGit, left: Left): Promise<Gathered> {
  const facts = await readIndex(git)
  if (facts === undefined) return await gatherAnew(git, left)
  await unmark(git, facts)
  const added = await addEverything(git)
  if (added === 'index_broken') return await gatherAnew(git, left)
  const { hasNested, notes } = added
  const nested = hasNested || facts.gitlinks.length > 0 ? await recordNested(git, { base: left.base.id }) : []
  const [written, unrecorded] = await Promise.all([git.try(['write-tree']), findUnrecorded(git)])
  // An index may name content that is not there: a worker can write anything into it.
  if (!written.ok) return await gatherAnew(git, left)
  return { tree: written.stdout.trim(), notes: [...sayConflicts(facts), ...notes, ...nested, ...unrecorded] }
}

async function gatherAnew(git: WorktreeGit, left: Left): Promise<Gathered> {
  await rebuildIndex(git, (left.head ?? left.branch)?.id ?? null)
  const added = await addEverything(git)
  if (added === 'index_broken') throw new HarvestFault('short', 'the index of the worktree cannot be written')
  const { hasNested, notes } = added
  const nested = hasNested ? await recordNested(git, { base: left.base.id }) : []
  const tree = (await git.run(['write-tree'])).stdout.trim()
  const unrecorded = await findUnrecorded(git)
  return { tree, notes: ['the index could not be used and was made anew', ...notes, ...nested, ...unrecorded] }
}

function sayConflicts({ conflicted }: IndexFacts): readonly string[] {
  if (conflicted.length === 0) return []
  return [`left in conflict, and committed as they lay there: ${shorten(conflicted)}`]
}

/** What git still calls untracked when everything was added: empty folders, and what could not be read. */
async function findUnrecorded(git: WorktreeGit): Promise<readonly string[]> {
  const args = ['ls-files', '-z', '-o', '--directory', '--exclude-standard']
  const { bytes } = await git.run(args, { maxBytes: 512 * 1024 * 1024 })
  const paths = splitNul(bytes).map(textOfPath)
  const folders = paths.filter((path) => path.endsWith('/'))
  const others = paths.filter((path) => !path.endsWith('/'))
  return [
    ...(folders.length === 0 ? [] : [`git does not record empty folders: ${shorten(folders)}`]),
    ...(others.length === 0 ? [] : [`not recorded, it stays in the worktree: ${shorten(others)}`]),
  ]
}

const mostShown = 20

function shorten(paths: readonly string[]): string {
  const more = paths.length > mostShown ? ` and ${paths.length - mostShown} more` : ''
  return `${paths.slice(0, mostShown).join(', ')}${more}`
}
