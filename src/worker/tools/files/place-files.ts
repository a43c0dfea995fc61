import fs from 'node:fs'
import { basename, dirname } from 'node:path'
import { makeFolder, saySystemFault, systemRandom } from '../../../kernel/index.ts'
import { isStillAt, nameKind } from './open-file.ts'

/** What one file is to become. */
export interface FileChange {
  /** Its real path. */
  readonly path: string
  readonly shown: string
  /** How it was when the change was decided; undefined: it was not there. */
  readonly before: fs.Stats | undefined
  /** Undefined: it is to go. */
  readonly after: Buffer | undefined
  /** Of the file that it was moved from, where there is one. */
  readonly modeOf?: fs.Stats | undefined
}

/** One change on its way: everything in it is undone by `undo`. */
interface Placing {
  readonly change: FileChange
  readonly folder: fs.promises.FileHandle
  /** The folder by its open handle, so that a swap of a folder for a link leads nowhere. */
  readonly at: string
  readonly unfinished: string
  readonly kept: string
  placed: 'not_yet' | 'kept_old' | 'done'
}

/**
 * Makes all changes or none. First each new text is written beside its place, which is where a full disk or a closed folder
 * shows; then each is renamed into its place, if what stands there is still what was read. What was there is kept under
 * a second name until all are done, and put back when one fails.
 */
export async function placeFiles(
  changes: readonly FileChange[],
): Promise<{ readonly ok: true } | { readonly ok: false; readonly says: string }> {
  const madeFolders: string[] = []
  const placings: Placing[] = []
  let now: FileChange | undefined
  try {
    for (const change of changes) {
      now = change
      const placing = await openPlace(change, madeFolders)
      placings.push(placing)
      if (change.after !== undefined) writeBeside(placing, change.after)
    }
    for (const placing of placings) {
      now = placing.change
      putInPlace(placing)
    }
    for (const { at, kept } of placings) dropQuietly(`${at}/${kept}`)
    return { ok: true }
  } catch (fault) {
    const notRestored = placings.toReversed().flatMap(undo)
    for (const folder of madeFolders.toReversed()) await fs.promises.rmdir(folder).catch(() => {}) // somebody else's file is in it by now
    const what =
      fault instanceof PlaceRefused
        ? fault.message
        : `cannot be written (${saySystemFault(fault).replace(/, \w+$/, '')})`
    const rest =
      notRestored.length === 0
        ? changes.length > 1
          ? '; nothing was changed'
          : ''
        : `; and these could not be put back as they were: ${notRestored.join(', ')}`
    return { ok: false, says: `${now?.shown ?? 'a file'} ${what}${rest}` }
  } finally {
    for (const { folder } of placings) await folder.close()
  }
}

class PlaceRefused extends Error {}

async function openPlace(change: FileChange, madeFolders: string[]): Promise<Placing> {
  const folderPath = dirname(change.path)
  for (const path of missingAbove(folderPath)) {
    makeFolder(path)
    madeFolders.push(path)
  }
  const flags = fs.constants.O_RDONLY | fs.constants.O_DIRECTORY | fs.constants.O_NOFOLLOW
  const folder = await fs.promises.open(folderPath, flags)
  if (!isStillAt(folder, folderPath)) {
    await folder.close()
    throw new PlaceRefused('lies in a folder that was swapped for another one meanwhile; nothing is written there')
  }
  const nonce = systemRandom.hex(4)
  const handle = `/proc/self/fd/${folder.fd}`
  return {
    change,
    folder,
    at: fs.existsSync(handle) ? handle : folderPath,
    unfinished: `.yardmaster-${nonce}.partial`,
    kept: `.yardmaster-${nonce}.before`,
    placed: 'not_yet',
  }
}

/** From the top down. */
function missingAbove(folder: string): readonly string[] {
  if (fs.lstatSync(folder, { throwIfNoEntry: false }) !== undefined) return []
  return [...missingAbove(dirname(folder)), folder]
}

function writeBeside({ at, unfinished, change }: Placing, after: Buffer): void {
  const file = fs.openSync(`${at}/${unfinished}`, 'wx') // all by this: what bears the name may have been swapped for a link
  try {
    fs.writeFileSync(file, after)
    const like = change.before ?? change.modeOf
    if (like !== undefined) makeAlike(file, like)
  } finally {
    fs.closeSync(file)
  }
}

function makeAlike(file: number, like: fs.Stats): void {
  const { uid, gid } = fs.fstatSync(file)
  if (uid !== like.uid || gid !== like.gid) {
    try {
      fs.fchownSync(file, like.uid, like.gid)
    } catch {
      // only root may give files away; the text counts more than the owner
    }
  }
  fs.fchmodSync(file, like.mode & 0o7777)
}

function putInPlace(placing: Placing): void {
  const { at, change, unfinished, kept } = placing
  const target = `${at}/${basename(change.path)}`
  const now = fs.lstatSync(target, { throwIfNoEntry: false })
  if (!isUnchanged(change.before, now)) {
    if (now !== undefined && !now.isFile()) throw new PlaceRefused(`is ${nameKind(now)} by now`)
    throw new PlaceRefused('was changed by somebody else in this moment; read it again')
  }
  if (now !== undefined) {
    if (change.after === undefined) fs.renameSync(target, `${at}/${kept}`)
    else keepOld(target, `${at}/${kept}`)
    placing.placed = 'kept_old'
  }
  if (change.after !== undefined) fs.renameSync(`${at}/${unfinished}`, target)
  placing.placed = 'done'
}

function keepOld(target: string, kept: string): void {
  try {
    fs.linkSync(target, kept)
  } catch {
    fs.copyFileSync(target, kept, fs.constants.COPYFILE_EXCL) // a file system without links
  }
}

function isUnchanged(before: fs.Stats | undefined, now: fs.Stats | undefined): boolean {
  if (before === undefined || now === undefined) return before === now
  return before.ino === now.ino && before.size === now.size && before.mtimeMs === now.mtimeMs
}

/** The names of what could not be put back. */
function undo({ at, change, unfinished, kept, placed }: Placing): readonly string[] {
  const target = `${at}/${basename(change.path)}`
  dropQuietly(`${at}/${unfinished}`)
  try {
    if (placed === 'done' && change.before === undefined) fs.unlinkSync(target)
    else if (placed !== 'not_yet') fs.renameSync(`${at}/${kept}`, target)
    dropQuietly(`${at}/${kept}`) // a rename of two names of one file does nothing
    return []
  } catch {
    return [change.shown]
  }
}

function dropQuietly(path: string): void {
  try {
    fs.unlinkSync(path)
  } catch {
    // not made, or already in its place
  }
}
