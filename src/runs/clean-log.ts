import { stripVTControlCharacters } from 'node:util'
import { decodeBytes, escapeByte } from './log-bytes.ts'

/** Hides secrets in a text. It gets whole lines, never a piece that could begin or end inside a secret. */
export type Mask = (text: string) => string

/**
 * The readable lines of a piece of log: what a terminal would show in the end, without colour, cursor moves, frames and
 * spinners; invalid bytes and control characters escaped; secrets masked; empty lines left out. When the piece begins
 * in the middle of the log (`isCut`), its first line is a rest and is left out, unless it is the only one.
 */
export function cleanLog(piece: { readonly bytes: Buffer; readonly isCut: boolean }, mask: Mask): readonly string[] {
  const shown = stripVTControlCharacters(decodeBytes(withoutRest(piece)))
    .split('\n')
    .map(lastOverwrite)
    .map((line) => line.replace(chrome, ' ').replace(controls, escapeControl).trimEnd())
    .join('\n')
  return mask(shown)
    .split('\n')
    .filter((line) => line.trim() !== '')
}

function withoutRest({ bytes, isCut }: { readonly bytes: Buffer; readonly isCut: boolean }): Buffer {
  const lineEnd = isCut ? bytes.indexOf(0x0a) : -1
  return lineEnd < 0 || lineEnd === bytes.length - 1 ? bytes : bytes.subarray(lineEnd + 1)
}

/** A progress bar writes its line again and again after a carriage return; the last version is what was seen. */
function lastOverwrite(line: string): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line
  return text.slice(text.lastIndexOf('\r') + 1)
}

/** Frames (box drawing, blocks, the long dash of test reporters) and spinners (braille). */
const chrome = /[\u2500-\u259f\u23af\u2800-\u28ff]+/g

/** C0 but tab and newline, DEL, C1, and the marks that turn the direction of text (they make a line read as another). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is what it is for
const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g

function escapeControl(character: string): string {
  const code = character.charCodeAt(0)
  return code < 0x100 ? escapeByte(code) : `\\u${code.toString(16)}`
}
