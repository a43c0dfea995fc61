import { closeSync, readSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { isShortage } from '../kernel/index.ts'
import { openIfAnyIn, withRunDirectory } from './open-run-file.ts'
import { replaceRunFile } from './replace-run-file.ts'

/**
 * What is left of a log that was cut, and where it lies. Offsets of a log count the bytes that the worker has written,
 * from its first one on, and never change: whoever follows a log or keeps a place in it need not know that its middle
 * is gone. This record says which of those bytes are in which file. A log without it is one file, whole.
 *
 * It is written before what it calls gone is taken away: killed in between, something is called gone that is still
 * there, and never the other way round. So no reader takes the zeros of a hole for output.
 */
export interface LogPart {
  /** Name in the run directory. */
  readonly file: string
  /** Where the part begins in its file. */
  readonly at: number
  /** Where it begins in the log. */
  readonly from: number
  /** Where it ends in the log; null: with its file, to which somebody may still append. */
  readonly to: number | null
  /** Why what lies between it and the part before is missing. */
  readonly gap?: LogGap
}

/**
 * limit: taken away by `log_limit`. shortened: by the worker, which cut its own log. copied: around this place some
 * output may be missing, how much is not known, since a file was shortened that was being written; such a gap counts as 1 byte.
 */
export type LogGap = 'limit' | 'shortened' | 'copied'

/** Name of the record beside `output.log`. */
const logPartsName = 'output.parts'

/** What `log: piped` and copies need: head, the part before, and the one that is being written. */
const mostParts = 4
const mostRecordBytes = 4 * 1_024

/**
 * The record of the log at this path; undefined when there is none that can be used: then the file is all there is. Throws
 * the system's error when the machine is short of something: taken for no record, the hole of a cut log would be its output.
 */
export function readLogParts(logPath: string): readonly LogPart[] | undefined {
  try {
    return withRunDirectory(dirname(logPath), readLogPartsIn)
  } catch (fault) {
    return unlessShort(fault) // the directory is gone
  }
}

/** The same inside `withRunDirectory`. */
export function readLogPartsIn(directory: string): readonly LogPart[] | undefined {
  let descriptor: number | undefined
  try {
    descriptor = openIfAnyIn(directory, logPartsName)
    if (descriptor === undefined) return undefined
    const buffer = Buffer.alloc(mostRecordBytes)
    return parseLogParts(buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, buffer.length, 0)))
  } catch (fault) {
    return unlessShort(fault) // it is no file
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

function unlessShort(fault: unknown): undefined {
  if (isShortage((fault as NodeJS.ErrnoException).code)) throw fault
}

/** Puts the record in place by rename. Throws where the directory is gone: it is not made again. */
export function writeLogParts(logPath: string, parts: readonly LogPart[]): void {
  const text = `${JSON.stringify({ schema: 1, parts })}\n`
  replaceRunFile(`${dirname(logPath)}/${logPartsName}`, (descriptor) => writeFileSync(descriptor, text))
}

/** The worker could write there too, so nothing of it is believed that does not fit together. */
function parseLogParts(text: string): readonly LogPart[] | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const { schema, parts } = (value ?? {}) as { readonly schema?: unknown; readonly parts?: unknown }
  if (schema !== 1 || !Array.isArray(parts) || parts.length === 0 || parts.length > mostParts) return undefined
  let end = 0
  for (const [at, part] of parts.entries()) {
    if (!isPart(part) || part.from < end || (part.to === null && at < parts.length - 1)) return undefined
    end = part.to ?? part.from
  }
  return parts
}

const fileName = /^output\.(?:log|tail(?:\.\d{1,15})?)$/
const gaps: ReadonlySet<unknown> = new Set([undefined, 'limit', 'shortened', 'copied'])

function isPart(value: unknown): value is LogPart {
  const { file, at, from, to, gap } = (value ?? {}) as Partial<Record<keyof LogPart, unknown>>
  const goesOn = to === null || (isOffset(to) && isOffset(from) && to >= from)
  return (
    typeof file === 'string' &&
    fileName.test(file) &&
    basename(file) === file &&
    isOffset(at) &&
    isOffset(from) &&
    goesOn &&
    gaps.has(gap)
  )
}

/** Not so large that two of them added up would not be exact. */
function isOffset(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= Number.MAX_SAFE_INTEGER / 4
}
