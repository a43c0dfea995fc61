import { existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Whether the last program that had this store open said no farewell, or met damage: then it is checked before it is used. */
export function isSuspect(path: string): boolean {
  // Closed in good order, the log is gone: all of it is in the store.
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false })
  return (log !== undefined && log.size > 0) || existsSync(noteOf(path))
}

/** Has the next start check the store, whatever happens until then. */
export function markSuspect(path: string): void {
  try {
    writeFileSync(noteOf(path), '', { mode: 0o600 })
  } catch {
    // The fault that we were about to tell is the one that matters.
  }
}

export function clearSuspect(path: string): void {
  rmSync(noteOf(path), { force: true })
}

const noteOf = (path: string): string => `${path}.suspect`

/**
 * Moves a damaged store out of the way with its log, as it is, and answers where it lies now. While it is still open
 * here: SQLite sees that its file has moved, and does not touch it when it is closed.
 */
export function setAside(path: string, nowMs: number): string {
  const stamp = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  let aside = `${path}.damaged-${stamp}`
  for (let i = 2; existsSync(aside); i += 1) aside = `${path}.damaged-${stamp}-${i}`
  // Cut off in between, the next start sees the note and does this again. The log goes first: left alone it would be read
  // into whatever is put in the place of the store.
  markSuspect(path)
  if (existsSync(`${path}-wal`)) renameSync(`${path}-wal`, `${aside}-wal`)
  renameSync(path, aside)
  rmSync(`${path}-shm`, { force: true })
  clearSuspect(path)
  return aside
}

/** The damaged store that was set aside last; undefined where there is none. */
export function findSetAside(path: string): string | undefined {
  return listBeside(path)
    .filter((file) => file.startsWith(`${path}.damaged-`) && !/-(?:wal|shm)$/.test(file))
    .at(-1)
}

/** Files beside the store whose names begin as its own does, sorted; none where the folder cannot be read. */
export function listBeside(path: string): readonly string[] {
  try {
    return readdirSync(dirname(path))
      .filter((name) => name.startsWith(`${basename(path)}.`))
      .sort()
      .map((name) => join(dirname(path), name))
  } catch {
    return [] // no folder, nothing beside
  }
}
