import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { crashPoint } from '../../kernel/index.ts'

/** Whether the last program that had this store open said no farewell, or met damage: then it is checked before it is used. */
export function isSuspect(path: string): boolean {
  // Closed in good order, the log is gone: all of it is in the store.
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false })
  return (log !== undefined && log.size > 0) || existsSync(noteOf(path))
}

/** Has the next start check the store, whatever happens until then. */
export function markSuspect(path: string): void {
  writeNote(path, '')
}

function writeNote(path: string, text: string): void {
  try {
    writeFileSync(noteOf(path), text, { mode: 0o600 })
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
 * here: SQLite sees that its file has moved, and does not touch it when it is closed. The two cannot be moved in one step,
 * and without its log the store may look sound while its last commits are elsewhere: so the note says what is decided, and
 * whoever opens the store finishes what was cut off.
 */
export function setAside(path: string, nowMs: number): string {
  const aside = freeName(`${path}.damaged-${stampOf(nowMs)}`)
  writeNote(path, `${basename(aside)}\n${identityOf(path)}`)
  crashPoint('aside.decided')
  moveAside(path, aside)
  return aside
}

/** Finishes what `setAside` has decided; nothing where there is no such note, or another store in that place by now. */
export function finishSetAside(path: string): void {
  const [aside = '', identity] = readNote(path).split('\n')
  if (aside === '' || identity !== identityOf(path)) return
  moveAside(path, join(dirname(path), aside))
}

function moveAside(path: string, aside: string): void {
  // The log goes first: left alone it would be read into whatever is put in the place of the store. One that a reader has
  // made since then is not put in the place of the real one.
  if (existsSync(`${path}-wal`)) renameSync(`${path}-wal`, freeName(`${aside}-wal`))
  crashPoint('aside.log_kept')
  renameSync(path, aside)
  crashPoint('aside.store_kept')
  rmSync(`${path}-shm`, { force: true })
  clearSuspect(path)
}

function readNote(path: string): string {
  try {
    return readFileSync(noteOf(path), 'utf8')
  } catch {
    return '' // nothing is noted
  }
}

/** Undefined where there is none. Of the file as it is, and not its inode: a copied home finishes, too. */
function identityOf(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat === undefined ? undefined : `${stat.size} bytes of ${stat.mtimeMs}`
}

/** Where a store that was taken away under our hands is saved, with all it held. */
export const composeRescue = (path: string, nowMs: number): string => freeName(`${path}.rescued-${stampOf(nowMs)}`)

/** The newest file that holds what a missing store held: damaged and set aside, or saved. Undefined where there is none. */
export function findSetAside(path: string): string | undefined {
  const kept = /\.(?:damaged|rescued)-(\d{8}T\d{6}Z(?:-\d+)?)$/
  const stampIn = (file: string) => kept.exec(file)?.[1] ?? ''
  return listBeside(path)
    .filter((file) => kept.test(file))
    .sort((a, b) => (stampIn(a) < stampIn(b) ? -1 : 1))
    .at(-1)
}

/** The newest backup in the folder `backups` beside the store (api, backup-name); undefined where there is none. */
export function findNewestBackup(path: string): string | undefined {
  const folder = join(dirname(path), 'backups')
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.db'))
      .map((name) => ({ file: join(folder, name), atMs: statSync(join(folder, name)).mtimeMs }))
      .sort((a, b) => a.atMs - b.atMs)
      .at(-1)?.file
  } catch {
    return undefined // no folder, no backup
  }
}

/** A moment as it stands in names of files: `20261129T130000Z`. */
export const stampOf = (ms: number): string => new Date(ms).toISOString().replaceAll(/[-:]|\.\d+/g, '')

/** The name, with a number behind it where it is taken. */
export function freeName(name: string): string {
  let free = name
  for (let i = 2; existsSync(free); i += 1) free = `${name}-${i}`
  return free
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
