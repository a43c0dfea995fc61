import type { LineText } from './line-text.ts'
import { rebaseLines } from './rebase-lines.ts'

/** What is looked for and what is to stand there, as texts and as lines. */
export interface WantedEdit {
  readonly old: string
  readonly next: string
  readonly oldLines: readonly string[]
  readonly nextLines: readonly string[]
}

/** A stretch of a text, by its first character and the one behind its last, and what is to stand there. */
export interface Place {
  readonly start: number
  readonly end: number
  readonly text: string
}

export function splitEdit(old: string, next: string): WantedEdit {
  return { old, next, oldLines: linesOf(old), nextLines: next === '' ? [] : linesOf(next) }
}

/** The newline at the end ends the last line and begins none. */
const linesOf = (text: string): readonly string[] => (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')

/** The place of an edit whose lines were recognised at line `at` (from 0), its new lines fitted into the file. */
export function placeOfLines({ text, lines, starts }: LineText, at: number, edit: WantedEdit): Place {
  const count = edit.oldLines.length
  const start = starts[at] ?? 0
  const lastAt = at + count - 1
  const endOfLast = (starts[lastAt] ?? 0) + (lines[lastAt] ?? '').length
  const takesNewline = edit.old.endsWith('\n') && endOfLast < text.length
  const missesNewline = edit.old.endsWith('\n') && !takesNewline // the file ends without one, and stays so
  const fitted = rebaseLines(edit.oldLines, edit.nextLines, lines.slice(at, at + count)).join('\n')
  if (missesNewline && edit.nextLines.length === 0) return { start: Math.max(0, start - 1), end: endOfLast, text: '' }
  const newline = edit.nextLines.length > 0 && edit.next.endsWith('\n') && !missesNewline ? '\n' : ''
  return { start, end: takesNewline ? endOfLast + 1 : endOfLast, text: fitted + newline }
}
