import { createHash } from 'node:crypto'
import { existsSync, renameSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isShortage, makeFolder } from '../../kernel/index.ts'
import { attachmentPath, unfinishedFolder } from './attachment-paths.ts'

export interface StoreLimit {
  /** Null: as large as it comes. */
  readonly mostBytes: number | null
}

/** `short`: the machine has no room for it, or no descriptor, now. `bytes`: what had been read by then. */
export type Stored =
  | { readonly ok: true; readonly sha256: string; readonly bytes: number }
  | { readonly ok: false; readonly why: 'too_large' | 'short'; readonly bytes: number }

/**
 * Puts bytes into the store of a home under their SHA-256, while they come: no more of them is in memory than one piece, and no
 * more on the disk than `mostBytes`. It is on the disk, whole, when this says so; else nothing is left. The same bytes again are
 * the same file, made new, so that it counts as young. What `source` throws is thrown on, with nothing left; a source that
 * is left early is told so by its iterator's `return`.
 *
 * `kill -9` leaves a file below `unfinished`, which `sweepUnfinished` removes.
 */
export async function storeStream(
  home: string,
  source: AsyncIterable<Uint8Array>,
  { mostBytes }: StoreLimit,
): Promise<Stored> {
  const state: Writing = { bytes: 0 }
  try {
    const sha256 = await fill(state, home, source, mostBytes)
    if (sha256 === undefined) return { ok: false, why: 'too_large', bytes: state.bytes }
    const { handle, path } = await unfinishedOf(state, home)
    await handle.sync()
    await place(path, attachmentPath(home, sha256))
    return { ok: true, sha256, bytes: state.bytes }
  } catch (fault) {
    const { code, syscall } = fault as NodeJS.ErrnoException
    if (syscall !== undefined && isShortage(code)) return { ok: false, why: 'short', bytes: state.bytes }
    throw fault
  } finally {
    await state.unfinished?.handle.close().catch(() => {}) // what it was for is decided
    if (state.unfinished !== undefined) await rm(state.unfinished.path, { force: true }) // elsewhere by now, or not wanted
  }
}

interface Writing {
  /** Read so far. */
  bytes: number
  unfinished?: Unfinished
}

interface Unfinished {
  readonly path: string
  readonly handle: FileHandle
}

let made = 0

/** One process works a home at a time; what a killed one of the same number has left keeps its name. */
async function makeUnfinished(home: string): Promise<Unfinished> {
  const folder = unfinishedFolder(home)
  makeFolder(folder, 0o700)
  for (;;) {
    made += 1
    const path = join(folder, `${process.pid}-${made}`)
    try {
      return { path, handle: await open(path, 'wx', 0o600) }
    } catch (fault) {
      if ((fault as NodeJS.ErrnoException).code !== 'EEXIST') throw fault
    }
  }
}

/**
 * Undefined where there is more than may be. The source is asked first and the file made then: one that breaks off meanwhile
 * must find somebody who hears it.
 */
async function fill(
  state: Writing,
  home: string,
  source: AsyncIterable<Uint8Array>,
  mostBytes: number | null,
): Promise<string | undefined> {
  const hash = createHash('sha256')
  for await (const piece of source) {
    state.bytes += piece.byteLength
    if (mostBytes !== null && state.bytes > mostBytes) return undefined
    hash.update(piece)
    const { handle } = await unfinishedOf(state, home)
    await handle.writeFile(piece) // all of it, from where the last one ended
  }
  return hash.digest('hex')
}

async function unfinishedOf(state: Writing, home: string): Promise<Unfinished> {
  state.unfinished ??= await makeUnfinished(home)
  return state.unfinished
}

/**
 * The rename is one turn of the loop, as the sweep looks and removes in one: a file that is placed anew while it is looked at is
 * never taken for the old one. Waiting for the disk is not: nobody else is kept by it.
 */
async function place(unfinished: string, path: string): Promise<void> {
  const folder = dirname(path)
  const isNew = !existsSync(folder)
  makeFolder(folder, 0o700)
  renameSync(unfinished, path)
  await syncFolder(folder)
  if (isNew) await syncFolder(dirname(folder))
}

/** Its names are on the disk. */
async function syncFolder(path: string): Promise<void> {
  const handle = await open(path)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
