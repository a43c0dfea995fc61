import { lstatSync, opendirSync } from 'node:fs'
import { join } from 'node:path'

/** Looked at for each question; a workspace may be large, and the question is only asked before a run is called stalled. */
const mostEntries = 2_000
const neverWalked: ReadonlySet<string> = new Set(['.git', 'node_modules'])

/** Clocks of file systems may be a little ahead of ours. */
const aheadMs = 1_000

/**
 * Newest change below `folder` as wall-clock milliseconds, as far as `mostEntries` reach; undefined when nothing is there.
 * A time that lies ahead is none: the clock was set back since, or somebody wrote it.
 */
export function readNewestTouchMs(folder: string, { nowMs }: { readonly nowMs: number }): number | undefined {
  let newestMs: number | undefined
  let left = mostEntries
  const folders = [folder]
  for (let next = folders.shift(); next !== undefined && left > 0; next = folders.shift()) {
    for (const entry of readEntries(next, left)) {
      left -= 1
      const path = join(next, entry.name)
      if (entry.isDirectory() && !neverWalked.has(entry.name)) folders.push(path)
      const touchedMs = readTouchMs(path)
      if (touchedMs <= nowMs + aheadMs) newestMs = Math.max(newestMs ?? 0, touchedMs)
    }
  }
  return newestMs
}

function readTouchMs(path: string): number {
  try {
    return lstatSync(path).mtimeMs
  } catch {
    return 0 // removed meanwhile
  }
}

function readEntries(folder: string, most: number) {
  const entries = []
  try {
    const handle = opendirSync(folder)
    try {
      for (let entry = handle.readSync(); entry !== null && entries.length < most; entry = handle.readSync()) {
        entries.push(entry)
      }
    } finally {
      handle.closeSync()
    }
  } catch {
    // removed meanwhile, or not ours to read: nothing was seen to be touched there
  }
  return entries
}
