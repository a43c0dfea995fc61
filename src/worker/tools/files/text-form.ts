import { isUtf8 } from 'node:buffer'

/** A file's bytes as text, with what must be the same again when it is written. */
export interface TextForm {
  /** Without the mark of byte order. Line ends as they are in the file. */
  readonly text: string
  readonly byteOrderMark: '' | '\ufeff'
}

/** How many bytes at the beginning are looked at: a text holds no zero byte. */
const lookedAtBytes = 8_192

/** The text of these bytes, or what speaks against it. `lossy`: bytes that are no UTF-8 show as U+FFFD, so it can be read and not edited. */
export function decodeText(
  bytes: Buffer,
):
  | ({ readonly kind: 'text' } & TextForm)
  | ({ readonly kind: 'lossy'; readonly firstLine: number } & TextForm)
  | { readonly kind: 'binary'; readonly says: string } {
  const zero = bytes.subarray(0, lookedAtBytes).indexOf(0)
  if (zero >= 0) {
    const wide = bytes.length >= 2 && ['fffe', 'feff'].includes(bytes.toString('hex', 0, 2))
    return {
      kind: 'binary',
      says: wide ? 'is UTF-16; make it UTF-8 with iconv in the terminal first' : 'is no text: it holds zero bytes',
    }
  }
  const decoded = bytes.toString('utf8')
  const form: TextForm = decoded.startsWith('\ufeff')
    ? { text: decoded.slice(1), byteOrderMark: '\ufeff' }
    : { text: decoded, byteOrderMark: '' }
  return isUtf8(bytes) ? { kind: 'text', ...form } : { kind: 'lossy', ...form, firstLine: firstBadLine(bytes) }
}

/** The bytes of an edited text. */
export const encodeText = ({ text, byteOrderMark }: TextForm): Buffer => Buffer.from(byteOrderMark + text, 'utf8')

function firstBadLine(bytes: Buffer): number {
  let line = 1
  for (let at = 0; at < bytes.length; line += 1) {
    const found = bytes.indexOf(10, at)
    const end = found < 0 ? bytes.length : found
    if (!isUtf8(bytes.subarray(at, end))) return line
    at = end + 1
  }
  return line
}

export const newline = 0x0a

/** How often this byte stands there, if so behind another: sixteen millions are counted in a moment, and none made a text. */
export function countBytes(bytes: Buffer, wanted: number, behind?: number): number {
  let count = 0
  for (let at = 0; at < bytes.length; at += 1) {
    if (bytes[at] === wanted && (behind === undefined || bytes[at - 1] === behind)) count += 1
  }
  return count
}
