import { rmSync, statSync } from 'node:fs'

/** What became of the file under our hands: somebody removed it, or put another one in its place. */
export type FileLoss = 'removed' | 'replaced'

/** Remembers which files of an open store are ours, by device and inode. */
export interface OpenFile {
  /** Undefined while all are where they were. Costs two looks at the file system. */
  findLoss(): FileLoss | undefined
  /**
   * After closing: removes our log where the store itself was taken away, because it would be read into whatever file lies
   * in its place. (SQLite leaves it then; where all is as it should be, it is gone already.)
   */
  removeOrphanedLog(): void
}

/**
 * The store and its write-ahead log: what is written into either after it was removed is gone with us, and a store that
 * was put in its place is somebody else's. The log appears with the first transaction and stays while we have the store open.
 */
export function rememberFile(path: string): OpenFile {
  const store = identify(path)
  let log = identify(`${path}-wal`)
  return {
    findLoss: () => {
      const loss = compare(store, identify(path))
      if (loss !== undefined) return loss
      const now = identify(`${path}-wal`)
      log ??= now
      return compare(log, now)
    },
    removeOrphanedLog: () => {
      if (compare(store, identify(path)) === undefined) return
      if (log === undefined || identify(`${path}-wal`) !== log) return
      for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`, { force: true })
    },
  }
}

function compare(ours: string | undefined, now: string | undefined): FileLoss | undefined {
  if (ours === undefined || now === ours) return undefined
  return now === undefined ? 'removed' : 'replaced'
}

function identify(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined ? undefined : `${found.dev}:${found.ino}`
}
