import { lstatSync, type Stats } from 'node:fs'
import { opendir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { attachmentPath, attachmentsFolder, isSha256, unfinishedFolder } from './attachment-paths.ts'

/** A file of the store as it is found there. */
export interface KeptAttachment {
  readonly sha256: string
  readonly bytes: number
}

/**
 * All files of the store that were placed before a time, one after the other as they lie. Each was looked at in the turn of the
 * loop in which it is given out, so that who removes it in that turn removes the one that was looked at. What is not ours there
 * is passed over.
 */
export async function* keptAttachments(
  home: string,
  { beforeMs }: { readonly beforeMs: number },
): AsyncGenerator<KeptAttachment> {
  for (const folder of await namesIn(attachmentsFolder(home))) {
    if (!/^[0-9a-f]{2}$/.test(folder)) continue
    for (const sha256 of await namesIn(join(attachmentsFolder(home), folder))) {
      if (!isSha256(sha256) || !sha256.startsWith(folder)) continue
      const stat = statOf(attachmentPath(home, sha256))
      if (stat?.isFile() && stat.mtimeMs < beforeMs) yield { sha256, bytes: stat.size }
    }
  }
}

/** Removes what was begun and has not been written to since a time: its process was killed. Answers how many. */
export async function sweepUnfinished(home: string, { beforeMs }: { readonly beforeMs: number }): Promise<number> {
  let removed = 0
  for (const name of await namesIn(unfinishedFolder(home))) {
    const path = join(unfinishedFolder(home), name)
    const stat = statOf(path)
    if (!stat?.isFile() || stat.mtimeMs >= beforeMs) continue
    await rm(path, { force: true })
    removed += 1
  }
  return removed
}

/** None where there is no such folder, or where something else stands: no link is followed. */
async function namesIn(folder: string): Promise<readonly string[]> {
  if (!statOf(folder)?.isDirectory()) return []
  const names: string[] = []
  for await (const { name } of await opendir(folder)) names.push(name)
  return names
}

const statOf = (path: string): Stats | undefined => lstatSync(path, { throwIfNoEntry: false })
