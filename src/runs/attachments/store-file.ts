import { constants, realpathSync } from 'node:fs'
import { type FileHandle, lstat, open, readlink } from 'node:fs/promises'
import { sep } from 'node:path'
import { isShortage } from '../../kernel/index.ts'
import { type Stored, type StoreLimit, storeStream } from './store-stream.ts'

/** Why a file was not taken. outside: it lies in none of the allowed folders, itself or through a link. */
export type FileFault = 'missing' | 'empty' | 'outside' | 'too_large' | 'not_a_file' | 'unreadable' | 'short'

export type StoredFile =
  | Extract<Stored, { ok: true }>
  | { readonly ok: false; readonly why: FileFault; readonly bytes: number }

export interface FileToStore extends StoreLimit {
  /** Absolute. */
  readonly path: string
  /** Folders that it may lie in; a file of the home only below one that is of the home, too. */
  readonly within: readonly string[]
}

/**
 * Copies a file that somebody else may have made into the store of a home. It must be a regular file with something in it, and
 * must really lie in one of the folders: links are followed to where they end before that is asked, and what was opened is
 * asked again, so that nothing can be put in its place in between. Nothing that could make us wait or act is opened.
 */
export async function storeFile(home: string, { path, within, mostBytes }: FileToStore): Promise<StoredFile> {
  const opened = await openWithin(home, path, within)
  if (!('handle' in opened)) return { ok: false, why: opened.why, bytes: 0 }
  const { handle } = opened
  try {
    const stat = await handle.stat()
    if (!stat.isFile()) return { ok: false, why: 'not_a_file', bytes: 0 }
    if (mostBytes !== null && stat.size > mostBytes) return { ok: false, why: 'too_large', bytes: stat.size }
    return await storeOpened(home, handle, { mostBytes })
  } finally {
    await handle.close()
  }
}

/** The same of a file of our own, of any size, which may be empty: the patch of an attempt. */
export async function storePatch(home: string, path: string): Promise<Stored> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    return await storeStream(home, piecesOf(handle), { mostBytes: null })
  } finally {
    await handle.close()
  }
}

async function storeOpened(home: string, handle: FileHandle, limit: StoreLimit): Promise<StoredFile> {
  let read = 0
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const piece of piecesOf(handle)) {
      read += piece.byteLength
      yield piece
    }
    if (read === 0) throw new NothingInIt() // before a name is made of nothing
  }
  try {
    return await storeStream(home, counted(), limit)
  } catch (fault) {
    if (fault instanceof NothingInIt) return { ok: false, why: 'empty', bytes: 0 }
    if ((fault as NodeJS.ErrnoException).syscall === 'read') return { ok: false, why: 'unreadable', bytes: read }
    throw fault
  }
}

class NothingInIt extends Error {}

const pieceBytes = 256 * 1_024

/** A buffer of its own for each piece: the one before may still be on its way to the disk. */
async function* piecesOf(handle: FileHandle): AsyncGenerator<Uint8Array> {
  for (;;) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(pieceBytes), 0, pieceBytes)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
  }
}

type Opened = { readonly handle: FileHandle } | { readonly why: FileFault }

async function openWithin(home: string, path: string, within: readonly string[]): Promise<Opened> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  try {
    const place = { home: realpathSync(home), within: within.flatMap(realFolder) }
    const real = realpathSync(path)
    if (!isWithin(place, real)) return { why: 'outside' }
    if (!(await lstat(real)).isFile()) return { why: 'not_a_file' }
    const handle = await open(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    // What was opened says where it lies, whatever was put in its way since.
    if (isWithin(place, await readlink(`/proc/self/fd/${handle.fd}`))) return { handle }
    await handle.close()
    return { why: 'outside' }
  } catch (fault) {
    return { why: faultOf(fault) }
  }
}

interface Place {
  readonly home: string
  readonly within: readonly string[]
}

/** The home lies in the folder of some command, and its token and store are nobody's to hand out. */
function isWithin({ home, within }: Place, real: string): boolean {
  return within.some((folder) => isBelow(folder, real) && (!isBelow(home, real) || isBelow(home, folder)))
}

const isBelow = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder === sep ? sep : `${folder}${sep}`)

/** One that is gone allows nothing. */
function realFolder(folder: string): readonly string[] {
  try {
    return [realpathSync(folder)]
  } catch {
    return []
  }
}

function faultOf(fault: unknown): FileFault {
  const { code } = fault as NodeJS.ErrnoException
  if (isShortage(code)) return 'short'
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
    case 'ENAMETOOLONG':
    case 'ERR_INVALID_ARG_VALUE': // a NUL in the path
      return 'missing'
    case 'ELOOP': // links in a ring, or one that was put there between two looks
      return 'outside'
    case 'ENXIO': // a socket
      return 'not_a_file'
    default:
      return 'unreadable'
  }
}
