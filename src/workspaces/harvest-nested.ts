import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { addEverything } from './harvest-add.ts'
import { HarvestFault } from './harvest-fault.ts'
import type { WorktreeGit } from './harvest-git.ts'
import { readIndex } from './harvest-index.ts'
import { below, joinNul, splitNul, textOfPath } from './patch-path.ts'

const mostDepth = 8

/** Sentences for people; `unstored`: for what is in no commit. */
export interface Recorded {
  readonly notes: readonly string[]
  readonly unstored: readonly string[]
}

/**
 * Git records a repository inside of the worktree that is no submodule as a bare number: its files would be gone with the
 * worktree. Here they are recorded as files.
 */
export async function recordNested(
  git: WorktreeGit,
  { base, depth = 0 }: { readonly base: string | null; readonly depth?: number },
): Promise<Recorded> {
  const found = await readIndex(git)
  const links = found?.gitlinks ?? []
  const submodules = await readSubmodules(git, base)
  const all: Recorded[] = []
  const nested = links.filter((path) => !submodules.has(textOfPath(path)))
  const unborn = await findUnborn(git)
  for (const path of [...nested, ...unborn]) all.push(await flatten(git, path, depth))
  return { notes: all.flatMap(({ notes }) => notes), unstored: all.flatMap(({ unstored }) => unstored) }
}

/** Paths that are submodules by `.gitmodules`, or were links to another repository when the branch began. */
async function readSubmodules(git: WorktreeGit, base: string | null): Promise<ReadonlySet<string>> {
  const pattern = String.raw`^submodule\..*\.path$`
  const written = await git.try(['config', '--blob', ':.gitmodules', '-z', '--get-regexp', pattern])
  const named = written.stdout.split('\0').map((entry) => entry.slice(entry.indexOf('\n') + 1))
  const tree = base === null ? undefined : await git.try(['ls-tree', '-r', '-z', base], { maxBytes: 512 * 1024 * 1024 })
  const before = splitNul(tree?.ok === true ? tree.bytes : Buffer.alloc(0))
    .filter((entry) => entry.toString('latin1', 0, 6) === '160000')
    .map((entry) => textOfPath(entry.subarray(entry.indexOf(9) + 1)))
  return new Set([...named, ...before].filter((path) => path !== ''))
}

/** Folders with a repository in which nothing was committed: git shows them as one untracked folder and refuses to add them. */
async function findUnborn(git: WorktreeGit): Promise<readonly Buffer[]> {
  const { bytes } = await git.run(['ls-files', '-z', '-o', '--exclude-standard'], { maxBytes: 512 * 1024 * 1024 })
  return splitNul(bytes)
    .filter((path) => path.at(-1) === 0x2f)
    .map((path) => path.subarray(0, -1))
    .filter(
      (path) =>
        lstatSync(below(git.path, Buffer.concat([path, Buffer.from('/.git')])), { throwIfNoEntry: false }) !==
        undefined,
    )
}

export const nothing: Recorded = { notes: [], unstored: [] }

async function flatten(git: WorktreeGit, path: Buffer, depth: number): Promise<Recorded> {
  const name = textOfPath(path)
  const folder = below(git.path, path)
  const place = folder.toString()
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true || readdirSync(folder).length === 0)
    return nothing
  if (!folder.equals(Buffer.from(place)) || depth >= mostDepth) {
    const says = `${name} is a git repository of its own, and only its number is recorded; its files stay in the worktree`
    return { notes: [], unstored: [says] }
  }
  const indexFile = `${join(git.adminDir, 'yardmaster-nested')}-${depth}`
  const inner = git.with({ path: place, indexFile })
  try {
    rmSync(indexFile, { force: true })
    const added = await addEverything(inner, 'fresh')
    if (added === 'index_broken') throw new HarvestFault('short', `an index for ${name} cannot be written`)
    const { hasNested, notes, unstored } = added
    const deeper = hasNested ? await recordNested(inner, { base: null, depth: depth + 1 }) : nothing
    const tree = (await inner.run(['write-tree'])).stdout.trim()
    await git.run(['update-index', '--force-remove', '-z', '--stdin'], { input: joinNul([path]) })
    await git.run(['read-tree', `--prefix=${name}/`, tree])
    const says = `${name} is a git repository of its own and no submodule: its files are recorded, its history is not`
    const inIt = (said: readonly string[]) => said.map((note) => `${name}: ${note}`)
    return { notes: [says, ...notes, ...inIt(deeper.notes)], unstored: [...unstored, ...inIt(deeper.unstored)] }
  } finally {
    rmSync(indexFile, { force: true })
  }
}
