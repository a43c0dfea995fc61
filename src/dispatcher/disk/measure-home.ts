import type { Dirent } from 'node:fs'
import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'

export interface MeasuredFolder {
  /** From the home on: `runs/0/R12`. */
  readonly path: string
  /** Space that it takes up; a log with holes takes less than it is long. */
  readonly bytes: number
}

/** Files that are looked at before the answer is what was found until then: a few seconds at most. */
const mostFiles = 200_000
const shown = 5
/** Removing less than this helps nobody. */
const leastBytes = 2 ** 20

/**
 * The largest parts of a home from 1 MiB on, largest first: directories of attempts, scratch folders, and the rest by folder. One file
 * at a time, so that the loop stays free; follows no link. Parts that vanish meanwhile are passed over.
 */
export async function measureHome(home: string, signal: AbortSignal): Promise<readonly MeasuredFolder[]> {
  const budget = { files: mostFiles }
  const parts: MeasuredFolder[] = []
  for await (const path of partsOf(home)) {
    if (signal.aborted || budget.files <= 0) break
    parts.push({ path, bytes: await sizeOf(join(home, path), budget) })
  }
  const large = parts.filter(({ bytes }) => bytes >= leastBytes)
  return large.toSorted((a, b) => b.bytes - a.bytes).slice(0, shown)
}

/** Folders whose own children are what people know by name, with how deep those lie. */
const opened: Readonly<Record<string, number>> = { runs: 2, workspaces: 1 }

async function* partsOf(home: string): AsyncGenerator<string> {
  for (const { name } of await entriesOf(home)) yield* below(home, name, opened[name] ?? 0)
}

async function* below(home: string, path: string, depth: number): AsyncGenerator<string> {
  if (depth === 0) {
    yield path
    return
  }
  for (const { name } of await entriesOf(join(home, path))) yield* below(home, join(path, name), depth - 1)
}

async function sizeOf(path: string, budget: { files: number }): Promise<number> {
  budget.files -= 1
  if (budget.files < 0) return 0
  const stat = await lstat(path).catch(() => undefined) // gone meanwhile
  if (stat === undefined) return 0
  let bytes = stat.blocks * 512
  if (!stat.isDirectory()) return bytes
  for (const { name } of await entriesOf(path)) bytes += await sizeOf(join(path, name), budget)
  return bytes
}

async function entriesOf(path: string): Promise<readonly Dirent[]> {
  const entries: Dirent[] = []
  try {
    for await (const entry of await opendir(path)) entries.push(entry)
  } catch {
    // No folder, none that we may read, or gone meanwhile: nothing to see in it.
  }
  return entries
}
