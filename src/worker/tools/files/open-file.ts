import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { describeSize, saySystemFault } from '../../../kernel/index.ts'
import type { Seen } from './file-register.ts'

/** A regular file as it was at one moment. */
export interface FileBytes {
  readonly kind: 'file'
  readonly bytes: Buffer
  readonly stat: fs.Stats
  readonly seen: Seen
}

export type Opened =
  | FileBytes
  | { readonly kind: 'missing' }
  | { readonly kind: 'folder' }
  | { readonly kind: 'refused'; readonly says: string; readonly isTooLarge?: true }

/**
 * Reads the file at a real path that was checked before. The last name is not followed if it has become a link meanwhile,
 * and what was opened must bear the checked name, so a folder on the way that was swapped for a link leads nowhere.
 * Pipes and devices are named and never opened: they would block.
 */
export async function readWhole(path: string, largestBytes: number): Promise<Opened> {
  try {
    const stat = await fs.promises.lstat(path)
    if (stat.isDirectory()) return { kind: 'folder' }
    if (!stat.isFile()) return { kind: 'refused', says: `is ${nameKind(stat)}, and no file` }
    const flags = fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK
    const handle = await fs.promises.open(path, flags)
    try {
      return await readHandle(handle, path, largestBytes)
    } finally {
      await handle.close()
    }
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException
    return code === 'ENOENT'
      ? { kind: 'missing' }
      : { kind: 'refused', says: `cannot be read (${sayCannotRead(fault)})` }
  }
}

async function readHandle(handle: fs.promises.FileHandle, path: string, largestBytes: number): Promise<Opened> {
  const stat = await handle.stat()
  if (!stat.isFile() || !isStillAt(handle, path)) {
    return { kind: 'refused', says: 'was put in place of something else while it was opened; try again' }
  }
  if (stat.size > largestBytes) {
    const says = `has ${describeSize(stat.size)}, more than ${describeSize(largestBytes)}`
    return { kind: 'refused', says, isTooLarge: true }
  }
  const bytes = Buffer.allocUnsafe(stat.size)
  let filled = 0
  while (filled < bytes.length) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, filled)
    if (bytesRead === 0) break // it shrank meanwhile
    filled += bytesRead
  }
  const whole = bytes.subarray(0, filled)
  return { kind: 'file', bytes: whole, stat, seen: seenOf(whole) }
}

/** Whether what is open is what bears this name. Where the system does not tell, the check before must do. */
export function isStillAt({ fd }: { readonly fd: number }, path: string): boolean {
  try {
    return fs.readlinkSync(`/proc/self/fd/${fd}`) === path
  } catch {
    return true // no /proc here
  }
}

/** What the register keeps of these bytes. */
export function seenOf(bytes: Buffer): Seen {
  return { hash: createHash('sha256').update(bytes).digest('hex'), bytes: bytes.length }
}

/** `a named pipe`, `a device`: what a name stands for that is no file. */
export function nameKind(stat: fs.Stats): string {
  if (stat.isFIFO()) return 'a named pipe'
  if (stat.isSocket()) return 'a socket'
  if (stat.isDirectory()) return 'a folder'
  return stat.isSymbolicLink() ? 'a link' : 'a device'
}

function sayCannotRead(fault: unknown): string {
  const { code } = fault as NodeJS.ErrnoException
  return code === 'ENOTDIR' ? 'ENOTDIR: a part of the path is a file, no folder' : saySystemFault(fault)
}
