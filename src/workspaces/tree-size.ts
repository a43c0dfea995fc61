import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'

/** Looked at at once: a disk has work with that, and the loop keeps breathing. */
const atOnce = 16

export interface TreeSize {
  /** As the disk has them: blocks, so that holes do not count, and a file with two names counts twice. */
  readonly bytes: number
  readonly files: number
  /** whole: all of it was seen. more: it is at least this, the look was ended. */
  readonly is: 'whole' | 'more'
}

/** How much room a folder takes with all in it. Follows no link; what cannot be read counts nothing. */
export async function treeSize(
  path: string,
  signal: AbortSignal,
  mostFiles = Number.POSITIVE_INFINITY,
): Promise<TreeSize> {
  const found = { bytes: 0, files: 0 }
  const folders: string[] = []
  const look = async (each: string): Promise<void> => {
    const stat = await lstat(each).catch(() => undefined) // gone meanwhile
    if (stat === undefined) return
    found.bytes += stat.blocks * 512
    found.files += 1
    if (stat.isDirectory()) folders.push(each)
  }
  await look(path)
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    if (signal.aborted || found.files > mostFiles) return { ...found, is: 'more' }
    const names = await namesIn(folder)
    for (let at = 0; at < names.length; at += atOnce) await Promise.all(names.slice(at, at + atOnce).map(look))
  }
  return { ...found, is: 'whole' }
}

async function namesIn(folder: string): Promise<string[]> {
  const names: string[] = []
  try {
    for await (const { name } of await opendir(folder)) names.push(join(folder, name))
  } catch {
    // closed to us, or gone meanwhile
  }
  return names
}
