import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants

/** What git keeps in small files has far less. */
const mostBytes = 1024 * 1024

/**
 * A small file as text. A worker may have put anything in its place: no link is followed, no pipe waited for. Undefined where
 * it is no plain file of at most 1 MiB, or cannot be read.
 */
export function readSmall(file: string): string | undefined {
  const descriptor = openPlain(file)
  if (descriptor === undefined) return undefined
  try {
    return fstatSync(descriptor).size > mostBytes ? undefined : readFileSync(descriptor, 'utf8')
  } finally {
    closeSync(descriptor)
  }
}

/** An open descriptor of a plain file, to be closed by whoever asked; undefined where it is none, or cannot be opened. */
export function openPlain(file: string): number | undefined {
  let descriptor: number
  try {
    descriptor = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch {
    return undefined // gone, a link, a socket, closed to us
  }
  if (fstatSync(descriptor).isFile()) return descriptor
  closeSync(descriptor)
  return undefined
}
