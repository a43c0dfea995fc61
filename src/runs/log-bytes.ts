import { isUtf8 } from 'node:buffer'

/** UTF-8 as text; each byte that is none is shown as `\xff`, so that nothing a worker prints can break a reader. */
export function decodeBytes(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8')
  let text = ''
  let goodFrom = 0
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at)
    if (length > 0) {
      at += length
      continue
    }
    text += bytes.toString('utf8', goodFrom, at) + escapeByte(bytes[at] ?? 0)
    at += 1
    goodFrom = at
  }
  return text + bytes.toString('utf8', goodFrom)
}

/** `\x1b` */
export function escapeByte(byte: number): string {
  return `\\x${byte.toString(16).padStart(2, '0')}`
}

/** Bytes of the character that begins at `at`; 0 when no whole valid one does. */
function characterLength(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0
  if (first < 0x80) return 1
  const length = announcedLength(first)
  return length > 0 && at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length)) ? length : 0
}

function announcedLength(first: number): number {
  if (first >= 0xf0) return first < 0xf5 ? 4 : 0
  if (first >= 0xe0) return 3
  return first >= 0xc2 ? 2 : 0
}

/**
 * How many bytes at the start belong to a character that began in `before`, the up to 3 bytes in front of it: 0 to 3.
 * `after` are the bytes from the start on.
 */
export function restOfCharacter(before: Buffer, after: Buffer): number {
  const begun = unfinishedBytes(before)
  if (begun === 0) return 0
  const character = Buffer.concat([before.subarray(before.length - begun), after.subarray(0, 3)])
  for (let length = begun + 1; length <= Math.min(4, character.length); length += 1) {
    if (isUtf8(character.subarray(0, length))) return length - begun
  }
  return 0
}

/** How many bytes at the end are the beginning of a character whose rest has not come yet: 0 to 3. */
export function unfinishedBytes(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return announcedLength(byte) > back ? back : 0
  }
  return 0
}
