import { isAscii } from 'node:buffer'
import { longestKeyChars } from './private-keys.ts'
import { encodingsOf, shortestSecretChars } from './redaction.ts'
import { maskSecretShapes, maskText } from './secret-shapes.ts'

/**
 * Takes secrets out of a piece of a log and keeps its length: byte n of the answer stands for byte n of the piece, ends of
 * line stay where they are. So any range of a masked log can be cut out by its offsets in the raw one.
 */
export interface LogMask {
  (bytes: Buffer): Buffer
  /** How many bytes before and behind a range must be masked with it, so that no secret is cut open at its edges. */
  readonly contextBytes: number
}

/** Longer than whatever the shapes of secrets find: an encoded key, a token of 8,192 characters behind its name. */
const leastContextBytes = 2 * longestKeyChars

/**
 * A mask for these values and for everything that looks like a secret. What a piece begins or ends with in the midst of a
 * known value is masked too, when it is long enough to be one: a log may be cut there, or its writer be not done.
 */
export function createLogMask(knownSecrets: readonly string[]): LogMask {
  const forms = new Set(knownSecrets.filter((value) => value.length >= shortestSecretChars).flatMap(encodingsOf))
  const longestFirst = [...forms].map((form) => byteText(Buffer.from(form))).sort((a, b) => b.length - a.length)
  const longest = longestFirst[0]?.length ?? 0
  const mask = (bytes: Buffer): Buffer => {
    const text = byteText(bytes)
    const known = longestFirst.reduce((masked, form) => masked.replaceAll(form, fill), text)
    const masked = maskSecretShapes(maskFragments(known, longestFirst), fill)
    return masked === text ? bytes : bytesOf(masked)
  }
  return Object.assign(mask, { contextBytes: Math.max(leastContextBytes, 2 * longest) })
}

/** `[secret]****`, or stars alone where there is no room for it; ends of line stay. */
function fill(secret: string): string {
  const stars = secret.replace(/[^\n]/g, '*')
  return stars.startsWith('*'.repeat(maskText.length)) ? maskText + stars.slice(maskText.length) : stars
}

function maskFragments(text: string, forms: readonly string[]): string {
  let masked = text
  for (const form of forms) {
    for (let length = Math.min(form.length - 1, masked.length); length >= shortestSecretChars; length -= 1) {
      if (!masked.startsWith(form.slice(-length))) continue
      masked = fill(masked.slice(0, length)) + masked.slice(length)
      break
    }
    for (let length = Math.min(form.length - 1, masked.length); length >= shortestSecretChars; length -= 1) {
      if (!masked.endsWith(form.slice(0, length))) continue
      masked = masked.slice(0, -length) + fill(masked.slice(-length))
      break
    }
  }
  return masked
}

/**
 * One character for each byte, with the byte as its lower half. Bytes that are not ASCII become characters that nobody
 * uses: as letters of Latin-1 some of them would be blanks, and end a secret in its middle.
 */
function byteText(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString('latin1')
  const pairs = Buffer.alloc(2 * bytes.length)
  // By index: an iterator takes ten times as long, and a piece has a quarter of a million bytes.
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    pairs[2 * at] = byte
    if (byte >= 0x80) pairs[2 * at + 1] = 0xe0
  }
  return pairs.toString('utf16le')
}

/** Latin-1 takes the lower half of each character. */
const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1')
