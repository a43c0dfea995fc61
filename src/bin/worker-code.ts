import { readFileSync } from 'node:fs'
import { crc32 } from 'node:zlib'

/** A source as Node takes the source of a module: with its names around it. */
export const wrapWorker = (source: Buffer): string =>
  `(function (exports, require, module, __filename, __dirname) {${source.toString()}\n})`

/** What the code was made of, and by whom. */
interface Origin {
  readonly source: Buffer
  /** Release, system and processor. */
  readonly node: string
}

const stampBytes = 4

/**
 * The code that V8 has made of this very source, from a file of `stampCompiled`; undefined where there is none. V8 asks for
 * its own version and for the length of the source, and then trusts the bytes: a damaged file would end the process, and
 * an old one would run in place of a source of the same length.
 */
export function readCompiled(file: string, origin: Origin): Buffer | undefined {
  try {
    const kept = readFileSync(file)
    const compiled = kept.subarray(0, -stampBytes)
    return kept.readUInt32LE(compiled.byteLength) === stampOf(compiled, origin) ? compiled : undefined
  } catch {
    return undefined // not made, or not to be read: it is not needed
  }
}

/** The bytes of a file from which `readCompiled` takes this code. */
export function stampCompiled(compiled: Buffer, origin: Origin): Buffer {
  const stamp = Buffer.alloc(stampBytes)
  stamp.writeUInt32LE(stampOf(compiled, origin))
  return Buffer.concat([compiled, stamp])
}

/** Not against malice, which could as well change the source. It takes a start one millisecond; a SHA takes three. */
const stampOf = (compiled: Buffer, { source, node }: Origin): number => crc32(compiled, crc32(source, crc32(node)))
