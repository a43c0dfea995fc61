import { closeSync, constants, lstatSync, openSync } from 'node:fs'
import { basename, dirname } from 'node:path'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants

/**
 * Opens a file of a run directory without following a link: neither the file nor the directory itself may be one. A
 * worker may replace both while it runs, and what a link points at is nobody's report, record or log. Never waits for
 * the other end of a pipe. Throws as `openSync` does: ENOTDIR where the directory was replaced, ELOOP where the file was.
 */
export function openRunFile(path: string, flags: number = O_RDONLY, mode?: number): number {
  return withRunDirectory(dirname(path), (directory) => openIn(directory, basename(path), flags, mode))
}

/** The same for reading what most runs do not have; undefined when it is not there, at a fifth of what an error costs. */
export function openRunFileIfAny(path: string): number | undefined {
  return withRunDirectory(dirname(path), (directory) => openIfAnyIn(directory, basename(path)))
}

/** Inside `withRunDirectory`. */
export function openIn(directory: string, name: string, flags: number = O_RDONLY, mode?: number): number {
  return openSync(`${directory}/${name}`, flags | O_NOFOLLOW | O_NONBLOCK, mode)
}

/** Inside `withRunDirectory`; undefined when it is not there. */
export function openIfAnyIn(directory: string, name: string): number | undefined {
  if (lstatSync(`${directory}/${name}`, { throwIfNoEntry: false }) === undefined) return undefined
  try {
    return openIn(directory, name)
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return undefined // removed in this moment
    throw fault
  }
}

/**
 * Calls `act` with a path of the directory that cannot be led elsewhere while it is used. Throws ENOENT where the
 * directory is gone (it is never made again) and ENOTDIR where something else stands in its place.
 */
export function withRunDirectory<T>(runDir: string, act: (directory: string) => T): T {
  const descriptor = openSync(runDir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  try {
    return act(`/proc/self/fd/${descriptor}`)
  } finally {
    closeSync(descriptor)
  }
}
