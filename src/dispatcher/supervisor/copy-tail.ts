import { closeSync, constants, fstatSync, readSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { openRunFile, replaceRunFile, withRunDirectory } from '../../runs/index.ts'

/** The copy of a log's end, beside it. */
export const tailName = 'output.tail'

const chunkBytes = 256 * 1_024
/** A worker that prints faster than we copy is not waited for. */
const mostExtraBytes = 4 * 1_024 * 1_024

export interface CopiedTail {
  readonly bytes: number
  /** Where in the file the copy ends. */
  readonly upTo: number
}

/**
 * Copies an open log from this place to its end, with what comes meanwhile, so that as little as possible is lost when
 * the file is shortened right after. Where that cannot be done (no room, the directory gone) nothing is copied: the
 * log must be shortened all the same.
 */
export function copyTail(
  logPath: string,
  { descriptor, from }: { readonly descriptor: number; readonly from: number },
): CopiedTail {
  const endBytes = fstatSync(descriptor).size
  try {
    return replaceRunFile(`${dirname(logPath)}/${tailName}`, (to) => copyInto(to, descriptor, from))
  } catch {
    return { bytes: 0, upTo: Math.max(from, endBytes) }
  }
}

/** A worker that prints without a pause is not caught up with. */
const mostRounds = 16
/** Less than this came in the last round: as little as can be. */
const littleBytes = 4_096

/**
 * Adds to the copy what has come since, and calls `cut` right after the last look: between the two the system has no more to
 * do than one call. Answers all that the copy holds now. Where nothing was copied, or can be added, it only calls `cut`.
 */
export function addToTail(
  logPath: string,
  { descriptor, copied }: { readonly descriptor: number; readonly copied: CopiedTail },
  cut: () => void,
): CopiedTail {
  const to = copied.bytes === 0 ? undefined : openTail(logPath)
  let addedBytes = 0
  try {
    const chunk = Buffer.allocUnsafe(chunkBytes)
    for (let round = 0; to !== undefined && round < mostRounds; round += 1) {
      const read = readSync(descriptor, chunk, 0, chunk.length, copied.upTo + addedBytes)
      for (let done = 0; done < read; ) {
        const written = writeSync(to, chunk, done, read - done)
        done += written
        addedBytes += written
      }
      if (read < littleBytes) break
    }
  } catch {
    // No room: what was copied before must do.
  }
  try {
    cut()
  } finally {
    if (to !== undefined) closeSync(to)
  }
  return { bytes: copied.bytes + addedBytes, upTo: copied.upTo + addedBytes }
}

function openTail(logPath: string): number | undefined {
  try {
    return openRunFile(`${dirname(logPath)}/${tailName}`, constants.O_WRONLY | constants.O_APPEND)
  } catch {
    return undefined // the directory is gone, or somebody has put something else there
  }
}

/** Where the directory is gone, so is the copy. */
export function removeTail(logPath: string): void {
  try {
    withRunDirectory(dirname(logPath), (directory) => rmSync(`${directory}/${tailName}`, { force: true }))
  } catch {
    // as said above
  }
}

function copyInto(to: number, descriptor: number, from: number): CopiedTail {
  let at = from
  const mostBytes = fstatSync(descriptor).size - from + mostExtraBytes
  const chunk = Buffer.allocUnsafe(chunkBytes)
  while (at - from < mostBytes) {
    const read = readSync(descriptor, chunk, 0, chunk.length, at)
    if (read === 0) break
    for (let done = 0; done < read; ) done += writeSync(to, chunk, done, read - done)
    at += read
  }
  return { bytes: at - from, upTo: at }
}
