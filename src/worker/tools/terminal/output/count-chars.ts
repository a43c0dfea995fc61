/**
 * How many bytes the first `chars` characters of a text in UTF-8 have, as it will be shown: a control character takes the
 * four characters of `\x00`. Bytes that are no UTF-8 count one character each.
 */
export function bytesOfFirst(bytes: Buffer, chars: number): number {
  let room = chars
  let at = 0
  while (at < bytes.byteLength) {
    const width = widthOf(bytes[at] as number)
    if (width > room) break
    room -= width
    at = endOfChar(bytes, at)
  }
  return at
}

/** The same from the end. */
export function bytesOfLast(bytes: Buffer, chars: number): number {
  let room = chars
  let at = bytes.byteLength
  while (at > 0) {
    const start = startOfChar(bytes, at)
    const width = widthOf(bytes[start] as number)
    if (width > room) break
    room -= width
    at = start
  }
  return bytes.byteLength - at
}

const isControl = (byte: number): boolean => (byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 13) || byte === 0x7f
const widthOf = (byte: number): number => (isControl(byte) ? 4 : 1)
const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

function endOfChar(bytes: Buffer, at: number): number {
  const lead = bytes[at] as number
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1
  let end = at + 1
  while (end < at + length && isContinuation(bytes[end])) end += 1
  return end
}

function startOfChar(bytes: Buffer, end: number): number {
  for (let start = end - 1; start >= Math.max(0, end - 4); start -= 1) {
    if (isContinuation(bytes[start])) continue
    return endOfChar(bytes, start) === end ? start : end - 1
  }
  return end - 1
}
