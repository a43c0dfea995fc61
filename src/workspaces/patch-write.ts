import { closeSync, createReadStream, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { streamedFrom } from './harvest-add.ts'
import { faultOfSystem } from './harvest-fault.ts'
import type { WorktreeGit } from './harvest-git.ts'
import { textOfPath } from './patch-path.ts'
import { type PatchStats, readPatchStats, statsArguments } from './patch-stats.ts'

export interface Compared {
  readonly base: string
  readonly result: string
}

/**
 * A patch as it is stored holds the diff alone, from one commit to another: so its bytes, and with them its name in the
 * store, depend on nothing that is known only later (the check, the title, the repository's name). What a reader wants above
 * it is composed when it is given out.
 */
const patchArguments = [
  'diff-tree',
  '-r',
  '-p',
  '--binary',
  '--full-index',
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
  '--no-renames',
  '--src-prefix=a/',
  '--dst-prefix=b/',
  '--submodule=short',
  '--ignore-submodules=none',
]

/** Git holds a binary file in memory to put it into a patch, three times over. Larger ones are in the commit only. */
export const mostPatchedBytes = 128 * 1024 * 1024

/** What differs between two commits, counted and named. `scratch`: an absolute file that may be written and is gone afterwards. */
export async function compareCommits(
  git: WorktreeGit,
  {
    base,
    result,
    mayChange,
    scratch,
  }: Compared & { readonly mayChange: (path: string) => boolean; readonly scratch: string },
): Promise<PatchStats> {
  try {
    await intoFile(git, [...statsArguments, base, result], scratch)
    return await readPatchStats(createReadStream(scratch), mayChange)
  } finally {
    rmSync(scratch, { force: true })
  }
}

/** The patch in `into`, complete or not there; git writes it by itself. Answers its size and what is not in it. */
export async function writePatch(
  git: WorktreeGit,
  { base, result, stats, into }: Compared & { readonly stats: PatchStats; readonly into: string },
): Promise<{ readonly bytes: number; readonly notes: readonly string[] }> {
  const tooLarge = await findTooLarge(git, stats)
  const unfinished = `${into}.part`
  try {
    const without = tooLarge.map((path) => `:(exclude,top,literal)${path}`)
    await intoFile(
      git,
      [...patchArguments, base, result, ...(without.length === 0 ? [] : ['--', '.', ...without])],
      unfinished,
    )
    renameSync(unfinished, into)
    return { bytes: statSync(into).size, notes: sayTooLarge(tooLarge) }
  } catch (fault) {
    throw faultOfSystem(fault)
  } finally {
    rmSync(unfinished, { force: true })
  }
}

async function intoFile(git: WorktreeGit, args: readonly string[], file: string): Promise<void> {
  rmSync(file, { force: true }) // never written through: it could be a link
  const descriptor = openSync(file, 'wx', 0o600)
  try {
    await git
      .with({ files: 'none' })
      .run(args, { outputInto: descriptor, config: [streamedFrom, 'diff.suppressBlankEmpty=false'] })
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

async function findTooLarge(git: WorktreeGit, { binary }: PatchStats): Promise<readonly string[]> {
  if (binary.length === 0) return []
  const input = binary.flatMap(({ contents }) => contents.map((content) => `${content}\n`)).join('')
  const config = [streamedFrom]
  const { stdout } = await git
    .with({ files: 'none' })
    .run(['cat-file', '--batch-check=%(objectname) %(objectsize)'], { input, config })
  const sizes = new Map(
    stdout.split('\n').map((line) => {
      const [content = '', size] = line.split(' ')
      return [content, Number(size)]
    }),
  )
  return binary
    .filter(({ contents }) => contents.some((content) => (sizes.get(content) ?? 0) > mostPatchedBytes))
    .map(({ path }) => textOfPath(path))
}

function sayTooLarge(paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return []
  const limit = `${mostPatchedBytes / 1024 / 1024} MiB`
  return [
    `larger than ${limit}, so in the commit and not in the patch: ${paths.slice(0, 20).join(', ')}${paths.length > 20 ? ', …' : ''}`,
  ]
}
