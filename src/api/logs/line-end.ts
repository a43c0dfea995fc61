import { closeSync, constants, openSync, readSync } from 'node:fs'

/** How far back an end of line is looked for. */
export const lineWindowBytes = 16 * 1024

/**
 * The byte after the last end of line (`\n`, or the `\r` of a progress bar) that lies before `before`; without one, a
 * window back or the beginning. A place between two lines is never inside a character.
 */
export function lastLineEnd(file: string, before: number): number {
  const start = Math.max(0, before - lineWindowBytes)
  const bytes = Buffer.alloc(before - start)
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const read = bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, start))
    const at = Math.max(read.lastIndexOf('\n'), read.lastIndexOf('\r'))
    return at === -1 ? start : start + at + 1
  } finally {
    closeSync(descriptor)
  }
}
