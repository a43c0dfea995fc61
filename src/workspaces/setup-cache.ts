import { existsSync, readdirSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder, realPath, removeTree } from '../kernel/index.ts'
import { placeFor } from './copy-along.ts'
import { copyTree } from './copy-tree.ts'
import { worktreeGit } from './harvest-git.ts'
import { fingerprintSetup, isSetupDue, markSetupDone, readSetupMark, type SetupInput } from './setup-state.ts'
import { treeSize } from './tree-size.ts'
import type { WorkspaceDeps } from './worktree.ts'

/**
 * What setups have made, to be copied into the worktrees of other tasks: `<home>/cache/setup/<hash>/tree`, with the hash of the
 * setup's text and the contents of its key files. An entry is written under another name and renamed when it is whole.
 */
export const setupCacheOf = (home: string): string => join(realPath(home), 'cache', 'setup')

/** Puts what this setup has made elsewhere into this worktree, and notes that it is done. `none`: it has to run. */
export async function restoreSetup(deps: WorkspaceDeps, input: SetupInput): Promise<'restored' | 'none'> {
  const { worktree, setup } = input
  if (setup.key === undefined) return 'none'
  const entry = join(setupCacheOf(deps.home), await fingerprintSetup(input))
  const made = readMade(entry)
  if (made === undefined) return 'none'
  const from = join(entry, 'tree')
  const isFree = made.every((path) => !existsSync(join(worktree.path, path)))
  if (!isFree) return 'none' // half of an earlier setup lies there: running it mends that, copying would mix them
  try {
    // Another commit may have a link where the one had a folder: nothing is written through it.
    if (made.some((path) => placeFor(worktree.path, plain(path)) === undefined)) return 'none'
    await copyTree({ from, to: worktree.path, paths: made.map(plain), signal: deps.signal })
  } catch {
    return 'none' // a full disk, an entry that was being removed: the setup itself says what is wrong
  }
  const nowS = deps.clock.nowMs() / 1000
  utimesSync(entry, nowS, nowS)
  await isSetupDue(deps, input)
  await markSetupDone(deps, input)
  return 'restored'
}

/**
 * Keeps what a setup that has ended well made here for other worktrees. Not kept: where that cannot be told, where it changed
 * files of the repository, and where a link in it leads into this very folder.
 */
export async function storeSetup(deps: WorkspaceDeps, input: SetupInput): Promise<'stored' | 'not_stored'> {
  const { worktree, setup } = input
  const mark = readSetupMark(worktree)
  if (setup.key === undefined || mark?.done == null || mark.before === null || mark.made.length === 0)
    return 'not_stored'
  const cache = setupCacheOf(deps.home)
  const entry = join(cache, mark.done)
  if (existsSync(entry)) return 'not_stored'
  const changed = await worktreeGit(deps, worktree).try(['diff', '--quiet', '--no-ext-diff', '--no-textconv'])
  if (!changed.ok) return 'not_stored'
  makeFolder(cache, 0o700)
  const unfinished = `${entry}.new-${deps.random.hex(4)}`
  try {
    const tree = join(unfinished, 'tree')
    makeFolder(tree, 0o700)
    for (const path of mark.made) makeFolder(join(tree, path, '..'))
    const copied = await copyTree({ from: worktree.path, to: tree, paths: mark.made.map(plain), signal: deps.signal })
    if (copied.leftOut.length > 0) throw new Error('not all of it can be copied')
    writeFileSync(join(unfinished, 'made.json'), JSON.stringify(mark.made), { mode: 0o600 })
    renameSync(unfinished, entry)
    return 'stored'
  } catch {
    await removeTree(unfinished, deps.signal).catch(() => {}) // what is left goes at the next clean
    return 'not_stored' // a convenience that is not had: the setup runs where it is needed
  }
}

export interface CacheBounds {
  readonly mostBytes: number
  readonly unusedMs: number
}

export const builtInCacheBounds: CacheBounds = { mostBytes: 10 * 1024 ** 3, unusedMs: 30 * 86_400_000 }

/** Entries that go: unused for too long, those of a setup that was cut off, and the ones longest unused while all are too large. */
export async function staleSetups(
  deps: Pick<WorkspaceDeps, 'home' | 'clock' | 'signal'>,
  bounds = builtInCacheBounds,
): Promise<readonly string[]> {
  const cache = setupCacheOf(deps.home)
  if (!existsSync(cache)) return []
  const entries = readdirSync(cache).map((name) => ({
    path: join(cache, name),
    usedMs: statSync(join(cache, name)).mtimeMs,
  }))
  const stale: string[] = []
  let bytes = 0
  for (const { path, usedMs } of entries.toSorted((one, other) => other.usedMs - one.usedMs)) {
    const idleMs = deps.clock.nowMs() - usedMs
    const isCut = path.includes('.new-') && idleMs > cutAfterMs
    bytes += (await treeSize(path, deps.signal)).bytes
    if (isCut || idleMs > bounds.unusedMs || bytes > bounds.mostBytes) stale.push(path)
  }
  return stale
}

const cutAfterMs = 86_400_000

function readMade(entry: string): readonly string[] | undefined {
  try {
    const made: unknown = JSON.parse(readFileSync(join(entry, 'made.json'), 'utf8'))
    return Array.isArray(made) && made.every((path) => typeof path === 'string') ? made : undefined
  } catch {
    return undefined // not kept
  }
}

const plain = (path: string): string => path.replace(/\/$/, '')
