import { fstatSync, readSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { replaceRunFile, withRunDirectory } from '../../runs/index.ts'

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
