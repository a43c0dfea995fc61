import { constants } from 'node:fs'
import { chmod, type FileHandle, open, opendir, rename, rmdir, unlink } from 'node:fs/promises'

/** Open folders at once: a tree may be deeper than this process may have descriptors. */
const deepest = 64

/** Looks at a folder that is not empty although all of it was removed: somebody still writes into it. */
const mostLooks = 5

/**
 * Removes a folder with everything in it, one entry after the other, so that a tree of any size keeps nobody waiting. Never
 * follows a link: folders are held open and entries are named through them, so that one that is exchanged meanwhile leads
 * nowhere else. Folders that forbid it to us are made writable first. Throws the system's error for what cannot be removed;
 * what was removed until then stays so. A folder that is not there is no error. Ends early, without a word, with `signal`.
 */
export async function removeTree(path: string, signal: AbortSignal): Promise<void> {
  const bytes = Buffer.from(path)
  const handle = await openFolder(bytes)
  if (handle === undefined) return
  try {
    const root = { handle, moved: 0, signal }
    for (let looks = 1; !signal.aborted; looks += 1) {
      const found = await emptyFolder(handle, root, 1)
      if (found === 0) break
      if (looks > mostLooks + root.moved) break
    }
  } finally {
    await handle.close()
  }
  if (!signal.aborted) await rmdir(bytes)
}

interface Root {
  readonly handle: FileHandle
  /** Folders that lay too deep and were brought up to be removed in a later look. */
  moved: number
  readonly signal: AbortSignal
}

/** Answers how many entries it has met. */
async function emptyFolder(handle: FileHandle, root: Root, depth: number): Promise<number> {
  let met = 0
  for await (const { name, isFolder } of entriesOf(handle)) {
    if (root.signal.aborted) return met
    met += 1
    const path = within(handle, name)
    if (!isFolder) await unlink(path)
    else if (depth >= deepest) await rename(path, within(root.handle, Buffer.from(`deep-${++root.moved}`)))
    else await removeBelow(path, root, depth + 1)
  }
  return met
}

async function removeBelow(path: Buffer, root: Root, depth: number): Promise<void> {
  const handle = await openFolder(path)
  if (handle === undefined) return
  try {
    await emptyFolder(handle, root, depth)
  } finally {
    await handle.close()
  }
  if (!root.signal.aborted) await rmdir(path)
}

const asFolder = constants.O_DIRECTORY | constants.O_NOFOLLOW
/** open(2): stands for the folder and reads nothing, so that a folder which forbids reading opens, too. Node has no name for it. */
const pathOnly = 0o10000000

async function openFolder(path: Buffer): Promise<FileHandle | undefined> {
  try {
    const handle = await open(path, constants.O_RDONLY | asFolder).catch((fault: NodeJS.ErrnoException) => {
      if (fault.code !== 'EACCES') throw fault
      return openClosedFolder(path)
    })
    await handle.chmod(0o700).catch(() => {}) // another user's: removing says what is wrong
    return handle
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw fault
  }
}

/** Made readable through a descriptor: by its name it could be a link by then. */
async function openClosedFolder(path: Buffer): Promise<FileHandle> {
  const held = await open(path, pathOnly | asFolder)
  try {
    await chmod(`/proc/self/fd/${held.fd}`, 0o700)
    return await open(`/proc/self/fd/${held.fd}`, constants.O_RDONLY | constants.O_DIRECTORY)
  } finally {
    await held.close()
  }
}

/** Names as bytes: not every name on a disk is text. */
async function* entriesOf(handle: FileHandle): AsyncGenerator<{ readonly name: Buffer; readonly isFolder: boolean }> {
  const options = { encoding: 'buffer' as BufferEncoding }
  for await (const entry of await opendir(`/proc/self/fd/${handle.fd}`, options)) {
    yield { name: entry.name as unknown as Buffer, isFolder: entry.isDirectory() }
  }
}

const within = (handle: FileHandle, name: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`/proc/self/fd/${handle.fd}/`), name])
