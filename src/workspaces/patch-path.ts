import { isUtf8 } from 'node:buffer'

/** A name of git for people and globs: as it is where it is UTF-8, else in git's own quotes, so that no two names look the same. */
export function textOfPath(bytes: Buffer): string {
  return isUtf8(bytes) ? bytes.toString() : quotePath(bytes)
}

const letters: Readonly<Record<number, string>> = {
  7: 'a',
  8: 'b',
  9: 't',
  10: 'n',
  11: 'v',
  12: 'f',
  13: 'r',
  34: '"',
  92: '\\',
}

/** In the quotes in which git takes names on its standard input: every byte that is not plain ASCII is escaped. */
export function quotePath(bytes: Buffer): string {
  let quoted = ''
  for (const byte of bytes) {
    const letter = letters[byte]
    if (letter !== undefined) quoted += `\\${letter}`
    else if (byte < 32 || byte > 126) quoted += `\\${byte.toString(8).padStart(3, '0')}`
    else quoted += String.fromCharCode(byte)
  }
  return `"${quoted}"`
}

/** Names as git prints them with `-z`. */
export function splitNul(bytes: Buffer): readonly Buffer[] {
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(0, at)
    const stop = end === -1 ? bytes.length : end
    parts.push(bytes.subarray(at, stop))
    at = stop + 1
  }
  return parts
}

/** Names as git reads them with `-z`. */
export const joinNul = (paths: readonly Buffer[]): Buffer =>
  Buffer.concat(paths.flatMap((path) => [path, Buffer.from([0])]))

/** A name of git below a folder, byte by byte. */
export const below = (folder: string, path: Buffer): Buffer => Buffer.concat([Buffer.from(`${folder}/`), path])
