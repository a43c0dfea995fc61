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
