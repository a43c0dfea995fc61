import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

/** An open log. `read` gives what is there: fewer bytes than asked for at the end, none behind it. */
export interface LogBytes {
  readonly size: number
  readonly changedAtMs: number
  read(from: number, length: number): Buffer
}

/**
 * Lets `use` read a log; undefined where there is none. A link or a pipe in its place is not followed or waited for: a
 * worker can write into its own run directory, and must not make the hub read something else.
 */
export function withLog<Answer>(file: string, use: (log: LogBytes) => Answer): Answer | undefined {
  const descriptor = openLog(file)
  if (descriptor === undefined) return undefined
  try {
    const stat = fstatSync(descriptor)
    if (!stat.isFile()) return undefined
    return use({
      size: stat.size,
      changedAtMs: stat.mtimeMs,
      read(from, length) {
        const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, stat.size - from)))
        return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, from))
      },
    })
  } finally {
    closeSync(descriptor)
  }
}

function openLog(file: string): number | undefined {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return undefined
    throw cause
  }
}
