import { isUtf8 } from 'node:buffer'
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { decodeBytes, unfinishedBytes } from './log-bytes.ts'

export interface LogRange {
  /** Whole characters; bytes that are none are shown as `\xff`. Not masked. */
  readonly text: string
  /** Where the text begins; differs from what was asked when that pointed into a character or behind the end. */
  readonly fromByte: number
  /** Ask from here for what follows. */
  readonly nextByte: number
  readonly sizeBytes: number
}

export interface LogQuestion {
  /** A negative number counts from the end. */
  readonly fromByte: number
  readonly mostBytes: number
  /** alive: more may come, so a character that is not complete yet waits for its rest. gone: what is there is all. */
  readonly writer: 'alive' | 'gone'
}

/** A part of a log; undefined when there is no such file. */
export function readLog(path: string, { fromByte, mostBytes, writer }: LogQuestion): LogRange | undefined {
  return withLog(path, (descriptor, sizeBytes) => {
    const asked = fromByte < 0 ? Math.max(0, sizeBytes + fromByte) : Math.min(fromByte, sizeBytes)
    const start = startOfCharacter(descriptor, asked)
    const bytes = readBytes(descriptor, start, Math.min(mostBytes, sizeBytes - start))
    const isEnd = start + bytes.length >= sizeBytes
    const held = isEnd && writer === 'gone' ? 0 : unfinishedBytes(bytes)
    const whole = bytes.subarray(0, bytes.length - held)
    return { text: decodeBytes(whole), fromByte: start, nextByte: start + whole.length, sizeBytes }
  })
}

/** The last `mostBytes` of a file, and whether something stands before them; undefined when there is no such file. */
export function readEnd(
  path: string,
  mostBytes: number,
): { readonly bytes: Buffer; readonly isCut: boolean } | undefined {
  return withLog(path, (descriptor, sizeBytes) => {
    const start = Math.max(0, sizeBytes - mostBytes)
    return { bytes: readBytes(descriptor, start, sizeBytes - start), isCut: start > 0 }
  })
}

function withLog<T>(path: string, use: (descriptor: number, sizeBytes: number) => T): T | undefined {
  let descriptor: number | undefined
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const stat = fstatSync(descriptor)
    return stat.isFile() ? use(descriptor, stat.size) : undefined
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return undefined // deleted, or replaced by a link
    throw fault
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/** Moves forward over the rest of a character that began before `at`. */
function startOfCharacter(descriptor: number, at: number): number {
  const before = readBytes(descriptor, Math.max(0, at - 3), Math.min(3, at))
  const begun = unfinishedBytes(before)
  if (begun === 0) return at
  const character = Buffer.concat([before.subarray(before.length - begun), readBytes(descriptor, at, 3)])
  for (let length = begun + 1; length <= Math.min(4, character.length); length += 1) {
    if (isUtf8(character.subarray(0, length))) return at + length - begun
  }
  return at
}

function readBytes(descriptor: number, start: number, length: number): Buffer {
  const bytes = Buffer.alloc(Math.max(0, length))
  return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, start))
}
