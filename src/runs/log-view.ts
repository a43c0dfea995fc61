import { closeSync, fstatSync, readSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { type LogGap, type LogPart, readLogPartsIn } from './log-parts.ts'
import { openIn, withRunDirectory } from './open-run-file.ts'

/** A log as its readers see it: one row of bytes by the offsets that the worker gave them, with stretches that are gone. */
export interface LogView {
  /** Bytes that were written to it, those that are gone included. */
  readonly sizeBytes: number
  /** Wall-clock time of the last write. */
  readonly changedAtMs: number
  /** From 0 to `sizeBytes` without a place in between, in order; none of an empty log. */
  readonly stretches: readonly Stretch[]
  /** What is there from this byte on, at most `mostBytes`, and not beyond its stretch; empty in a gap and at the end. */
  read(fromByte: number, mostBytes: number): Buffer
}

export interface Stretch {
  readonly from: number
  readonly to: number
  /** Why it is gone; absent where it is there. */
  readonly gone?: LogGap
}

/** Looks at a log; the view is good only inside `use`. Undefined when there is no such file. */
export function viewLog<T>(path: string, use: (log: LogView) => T): T | undefined {
  let isOpen = false
  try {
    return withRunDirectory(dirname(path), (directory) => {
      isOpen = true
      return viewIn(directory, basename(path), use)
    })
  } catch (fault) {
    if (!isOpen && isNoSuchFile(fault)) return undefined
    throw fault
  }
}

function viewIn<T>(directory: string, name: string, use: (log: LogView) => T): T | undefined {
  const open = new Map<string, OpenFile | undefined>()
  const fileOf = (name: string): OpenFile | undefined => {
    if (!open.has(name)) open.set(name, openFile(directory, name))
    return open.get(name)
  }
  try {
    const parts = readLogPartsIn(directory)
    const main = fileOf(name)
    if (main === undefined) return undefined
    const placed = (parts ?? [{ file: name, at: 0, from: 0, to: null }]).map((part) => place(part, fileOf))
    const { stretches, sizeBytes } = layOut(placed)
    const changedAtMs = Math.max(...[...open.values()].map((file) => file?.changedAtMs ?? 0))
    return use({ sizeBytes, changedAtMs, stretches, read: (from, most) => readPlaced(placed, from, most) })
  } finally {
    for (const file of open.values()) if (file !== undefined) closeSync(file.descriptor)
  }
}

interface OpenFile {
  readonly descriptor: number
  readonly sizeBytes: number
  readonly changedAtMs: number
}

function openFile(directory: string, name: string): OpenFile | undefined {
  let descriptor: number | undefined
  try {
    descriptor = openIn(directory, name)
    const stat = fstatSync(descriptor)
    if (stat.isFile()) return { descriptor, sizeBytes: stat.size, changedAtMs: stat.mtimeMs }
  } catch (fault) {
    if (isNoSuchFile(fault)) return undefined
    throw fault
  }
  closeSync(descriptor)
  return undefined
}

/** Deleted, or replaced by a link. */
function isNoSuchFile(fault: unknown): boolean {
  const { code } = fault as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP'
}

/** A part with what of it is really there. */
interface PlacedPart extends LogPart {
  readonly descriptor: number | undefined
  readonly end: number
}

function place(part: LogPart, fileOf: (name: string) => OpenFile | undefined): PlacedPart {
  const file = fileOf(part.file)
  const thereBytes = Math.max(0, (file?.sizeBytes ?? 0) - part.at)
  return {
    ...part,
    descriptor: file?.descriptor,
    end: Math.min(part.to ?? Number.POSITIVE_INFINITY, part.from + thereBytes),
  }
}

function layOut(parts: readonly PlacedPart[]): {
  readonly stretches: readonly Stretch[]
  readonly sizeBytes: number
} {
  const stretches: { from: number; to: number; gone?: LogGap }[] = []
  let end = 0
  const goneUpTo = (to: number, gone: LogGap) => {
    if (to > end) stretches.push({ from: end, to, gone })
    end = Math.max(end, to)
  }
  for (const part of parts) {
    // Without a word about it, somebody else has taken it: a file that lacks its end was shortened.
    goneUpTo(part.from, part.gap ?? 'shortened')
    const last = stretches.at(-1)
    if (part.end <= end) continue
    if (last !== undefined && last.gone === undefined) last.to = part.end
    else stretches.push({ from: end, to: part.end })
    end = part.end
  }
  goneUpTo(parts.at(-1)?.to ?? end, 'shortened')
  return { stretches, sizeBytes: end }
}

/** Reads on over the border of two parts where nothing is missing between them. */
function readPlaced(parts: readonly PlacedPart[], fromByte: number, mostBytes: number): Buffer {
  const pieces: Buffer[] = []
  let at = fromByte
  const upTo = fromByte + Math.max(0, mostBytes)
  for (const part of parts) {
    if (part.descriptor === undefined || at < part.from || at >= part.end || at >= upTo) continue
    const bytes = Buffer.alloc(Math.min(upTo, part.end) - at)
    const read = readSync(part.descriptor, bytes, 0, bytes.length, part.at + at - part.from)
    pieces.push(bytes.subarray(0, read))
    at += read
    if (read < bytes.length) break // shortened in this moment
  }
  return pieces.length === 1 ? (pieces[0] ?? Buffer.alloc(0)) : Buffer.concat(pieces)
}
