import { closeSync, readSync } from 'node:fs'
import { isShortage } from '../kernel/index.ts'
import { readShellCode, type WaitStatus } from '../kernel/process/index.ts'
import { openRunFile } from './open-run-file.ts'
import { composeRunFiles } from './run-files.ts'

/** What the shim left in `exit`: the end of its worker, or `never` when it left without having started one. */
export type ExitRecord = WaitStatus | 'never'

/**
 * The prepared file: the shim writes code and newline over its beginning, in place, so that a full disk or a moved
 * directory cannot lose the record. Blanks, so that a code without its newline is seen to be unfinished.
 */
export const blankExitRecord = ' '.repeat(16)

/**
 * The record of a run whose process is gone; null when it is empty, cut off, foreign or not readable. Never ask earlier:
 * a worker may write anything there while it lives. Throws the system's error when the machine is short of something: then
 * nothing is known of the record yet.
 */
export function readExitRecord(runDir: string): ExitRecord | null {
  const text = readStart(composeRunFiles(runDir).exit)
  const match = /^(?:(never)|([0-9]{1,3}))\n *$/.exec(text)
  if (match === null || text.length !== blankExitRecord.length) return null
  if (match[1] !== undefined) return 'never'
  const code = Number(match[2])
  return code <= 255 ? readShellCode(code) : null
}

/** One byte more than a record has, so that a longer file is seen to be foreign. */
function readStart(path: string): string {
  let descriptor: number | undefined
  try {
    descriptor = openRunFile(path)
    const buffer = Buffer.alloc(blankExitRecord.length + 1)
    return buffer.toString('latin1', 0, readSync(descriptor, buffer, 0, buffer.length, 0))
  } catch (fault) {
    if (isShortage((fault as NodeJS.ErrnoException).code)) throw fault
    return '' // deleted with its directory, or not a file any more: as good as empty
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}
