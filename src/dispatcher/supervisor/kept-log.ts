import { closeSync, constants, fstatSync, ftruncateSync, lstatSync, readSync, type Stats } from 'node:fs'
import { crashPoint } from '../../kernel/index.ts'
import type { Libc } from '../../kernel/process/index.ts'
import {
  divideLogLimit,
  type LogPart,
  openRunFile,
  readLogParts,
  roundToBlock,
  writeLogParts,
} from '../../runs/index.ts'
import { addToTail, type CopiedTail, copyTail, removeTail, tailName } from './copy-tail.ts'

/**
 * The log of one run while somebody may write to it, kept within its limit. Workers append to the file by themselves and
 * nobody may ask them to reopen it, so it cannot be rotated. Two ways:
 *
 * - free: the middle of the file is given back to the file system, between the beginning that is kept and the end that
 *   is. Size and offsets stay; nothing that is kept is touched, so nothing can be lost.
 * - copy, where the file system or this program cannot do that: the end is copied beside it and the file shortened to its
 *   beginning, to which the worker goes on appending. What it writes in the moment between the two is lost, some 10 µs; the
 *   record says where. The copy is one half of the end that is kept, and what follows grows to be the other.
 *
 * Each change of what is there is on record (`LogPart`) before it is made, so that a kill at any moment leaves a log whose
 * readers see no hole and nothing twice. Only where the disk is so full that not even the record fits, it follows.
 */
export interface KeptLog {
  readonly path: string
  readonly limitBytes: number
  /** Opened at the first look, and kept: a file that somebody removes goes on growing, and is cut all the same. */
  descriptor: number | undefined
  way: 'free' | 'copy'
  /** What is there; the last one is being written. */
  parts: readonly LogPart[]
  recorded: 'yes' | 'not yet'
  /** Of the file, as of the last look. */
  fileBytes: number
  /** What stood right before that place: a file that was shortened and has grown again has something else there. */
  lastBytes: Buffer
  /** A stretch of the file that counts as gone and is not given back yet. */
  toFree: { readonly from: number; readonly to: number } | undefined
}

/** What a look at a log has found, and left. */
export interface LogLook {
  /** Written to it so far. */
  readonly sizeBytes: number
  /** Of that, what is on disk now. */
  readonly keptBytes: number
  readonly changedAtMs: number
  /** It had this many bytes before, and less now: somebody else has shortened it. */
  readonly shortenedFromBytes: number | null
}

interface Deps {
  /** Undefined where koffi does not load. */
  readonly libc: Libc | undefined
}

const nothing = Buffer.alloc(0)
const whole: LogPart = { file: 'output.log', at: 0, from: 0, to: null }

export function keepLog({ libc }: Deps, { path, limitBytes }: Pick<KeptLog, 'path' | 'limitBytes'>): KeptLog {
  const way = libc === undefined ? 'copy' : 'free'
  const fresh = {
    descriptor: undefined,
    parts: [whole],
    recorded: 'yes',
    fileBytes: 0,
    toFree: undefined,
    lastBytes: nothing,
  } as const
  return { path, limitBytes, way, ...fresh }
}

/** Looks at a log and cuts it where it is too long; undefined when there is none. Throws what the file system says. */
export function lookAtLog(deps: Deps, log: KeptLog): LogLook | undefined {
  const seen = openAndStat(log)
  if (seen === undefined) return undefined
  const shortenedFromBytes = noteShortened(log, seen.size)
  // It may have been shortened since it was asked: the old size would be taken for new bytes that are lost in turn, and what has
  // been written since would count as old at the next look.
  const stat = shortenedFromBytes === null ? seen : (openAndStat(log) ?? seen)
  log.fileBytes = stat.size
  if (log.way === 'free') cutMiddle(deps, log)
  if (log.way === 'copy') cutByCopy(log) // also where freeing was tried just now, and refused
  if (log.recorded === 'not yet') record(log, log.parts)
  log.lastBytes = readBefore(log, log.fileBytes, rememberedBytes)
  return { sizeBytes: endOf(log), keptBytes: keptOf(log), changedAtMs: stat.mtimeMs, shortenedFromBytes }
}

/**
 * Whether a log that was never looked at is within its limit: asked at the end of a run that was over before the first
 * look, as most are, for a tenth of what a look costs.
 */
export function isShortLog({ path, limitBytes, descriptor }: KeptLog): boolean {
  const stat = descriptor === undefined ? lstatSync(path, { throwIfNoEntry: false }) : undefined
  return stat !== undefined && stat.size <= limitBytes
}

export function closeLog(log: KeptLog): void {
  if (log.descriptor !== undefined) closeSync(log.descriptor)
  log.descriptor = undefined
}

function openAndStat(log: KeptLog): Stats | undefined {
  if (log.descriptor === undefined) {
    // Before it is opened: where the record cannot be read now, the next look asks for it again.
    recall(log)
    try {
      log.descriptor = openRunFile(log.path, constants.O_RDWR)
    } catch (fault) {
      const { code } = fault as NodeJS.ErrnoException
      if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return undefined // removed, or replaced by a link
      throw fault
    }
  }
  const stat = fstatSync(log.descriptor)
  return stat.isFile() ? stat : undefined
}

/** What an earlier hub has left: its record, and perhaps not all that this says was done. */
function recall(log: KeptLog): void {
  const parts = readLogParts(log.path)
  const last = parts?.at(-1)
  if (parts === undefined || last === undefined || last.file !== whole.file || last.to !== null) return
  log.parts = parts
  log.fileBytes = last.at
  const headBytes = headBytesOf(log)
  // Nothing is due that this program cannot give back: the other way shortens the whole file.
  const mayFree = log.way === 'free' && last.gap === 'limit' && last.at > headBytes
  if (mayFree) log.toFree = { from: headBytes, to: last.at }
}

/** Enough to tell one line from another, and less than is read for nothing. */
const rememberedBytes = 64

function readBefore({ descriptor }: KeptLog, end: number, mostBytes: number): Buffer {
  const bytes = Buffer.alloc(Math.min(mostBytes, end))
  if (descriptor === undefined || bytes.length === 0) return nothing
  return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, end - bytes.length))
}

/**
 * A file that is shorter than it was, or was shortened and has grown again: by us, killed before that was on record, or by
 * somebody else. One that grew again with the very same text cannot be told from one that went on.
 */
function noteShortened(log: KeptLog, nowBytes: number): number | null {
  const last = lastOf(log)
  const headBytes = headBytesOf(log)
  const wasBeingCopied = last.gap === 'copied' && last.at > headBytes
  const isShorter = nowBytes < log.fileBytes
  if (isShorter && wasBeingCopied && nowBytes >= headBytes) {
    record(log, [...log.parts.slice(0, -1), { ...last, at: headBytes }])
    return null
  }
  if (isShorter || !readBefore(log, log.fileBytes, log.lastBytes.length).equals(log.lastBytes)) {
    const before = endOf(log)
    removeTail(log.path)
    log.toFree = undefined
    record(log, [{ ...whole, from: before, gap: 'shortened' }])
    return before
  }
  const tail = log.parts.at(-2)
  if (wasBeingCopied && tail !== undefined) {
    // The copy was made and the file not shortened: all of it is still here, and is copied again with what has come since.
    const bytes = last.from - 1 - tail.from
    record(log, [...log.parts.slice(0, -2), { ...whole, at: last.at - bytes, from: last.from - bytes, gap: 'limit' }])
  }
  return null
}

/** Freeing a gigabyte takes 50 ms and more, and everybody waits for this loop. */
const mostFreedBytes = 128 * 1_024 * 1_024

function cutMiddle(deps: Deps, log: KeptLog): void {
  const { headBytes, tailBytes } = divideLogLimit(log.limitBytes)
  const to = roundToBlock(log.fileBytes - tailBytes)
  const last = lastOf(log)
  const from = Math.max(last.at, headBytes)
  if (keptOf(log) > log.limitBytes && to > from) {
    record(log, [...headOf(log, headBytes), { ...last, at: to, from: last.from + to - last.at, gap: 'limit' }])
    crashPoint('log.cut')
    log.toFree = { from: log.toFree?.from ?? from, to }
  }
  freeMore(deps, log)
}

/** Gives back what is due, a part of it where it is much: the next look goes on. */
export function freeMore({ libc }: Deps, log: KeptLog): void {
  const { toFree, descriptor } = log
  if (toFree === undefined || descriptor === undefined || libc === undefined) return
  const to = Math.min(toFree.to, toFree.from + mostFreedBytes)
  if (libc.freeRange(descriptor, toFree.from, to - toFree.from) === 0) {
    log.toFree = to === toFree.to ? undefined : { from: to, to: toFree.to }
    return
  }
  // Not on this file system, or not with this file; whatever it says, the other way works everywhere.
  log.toFree = undefined
  log.way = 'copy'
}

function cutByCopy(log: KeptLog): void {
  const { descriptor } = log
  const headBytes = log.parts.length > 1 ? headBytesOf(log) : divideLogLimit(log.limitBytes).headBytes
  const halfBytes = Math.floor((log.limitBytes - headBytes) / 2)
  if (descriptor === undefined || log.fileBytes - headBytes <= halfBytes) return
  const last = lastOf(log)
  const head = headOf(log, headBytes)
  // The copy before goes first: there is never room for three halves.
  if (log.parts.some(({ file }) => file === tailName)) record(log, [...head, { ...last, gap: 'limit' }])
  removeTail(log.path)
  const from = Math.max(last.at, headBytes, log.fileBytes - halfBytes)
  const copied = copyTail(log.path, { descriptor, from })
  record(log, [...head, ...endAfterCopy(last, copied, halfBytes)])
  crashPoint('log.cut')
  const all = addToTail(log.path, { descriptor, copied }, () => ftruncateSync(descriptor, headBytes))
  log.fileBytes = headBytes
  const [rest = whole, ...tail] = endAfterCopy(last, all, halfBytes).toReversed()
  record(log, [...head, ...tail, { ...rest, at: headBytes }])
}

/** The copy, and what follows in the file. What came while it was copied is in it, too: as much less of its beginning is shown. */
function endAfterCopy(last: LogPart, { bytes, upTo }: CopiedTail, halfBytes: number): readonly LogPart[] {
  const keptBytes = Math.min(bytes, halfBytes)
  const to = last.from + upTo - last.at
  const rest: LogPart = { ...whole, at: upTo, from: to + 1, gap: bytes === 0 ? 'limit' : 'copied' }
  if (bytes === 0) return [rest]
  return [{ file: tailName, at: bytes - keptBytes, from: to - keptBytes, to, gap: 'limit' }, rest]
}

/** A log whose directory is gone has no readers, and one on a full disk gets its record when there is room again. */
function record(log: KeptLog, parts: readonly LogPart[]): void {
  log.parts = parts
  try {
    writeLogParts(log.path, parts)
    log.recorded = 'yes'
  } catch {
    log.recorded = 'not yet'
  }
}

const lastOf = (log: KeptLog): LogPart => log.parts.at(-1) ?? whole

/** The beginning that is kept: as it was cut first, or what is to become it. */
function headOf(log: KeptLog, headBytes: number): readonly LogPart[] {
  const [first = whole] = log.parts
  if (log.parts.length > 1) return [first]
  return headBytes === 0 ? [] : [{ ...first, to: first.from + headBytes }]
}

/** Where the beginning that is kept ends in the file. */
function headBytesOf({ parts: [first, second] }: KeptLog): number {
  return first === undefined || first.to === null || second === undefined ? 0 : first.to - first.from
}

/** Where the log ends. */
function endOf(log: KeptLog): number {
  const { at, from } = lastOf(log)
  return from + Math.max(0, log.fileBytes - at)
}

function keptOf(log: KeptLog): number {
  const before = log.parts.slice(0, -1).reduce((sum, { from, to }) => sum + (to ?? from) - from, 0)
  return before + Math.max(0, log.fileBytes - lastOf(log).at)
}
