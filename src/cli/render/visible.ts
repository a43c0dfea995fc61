import stringWidth from 'string-width'

/**
 * Foreign text (titles, prompts, last lines) made fit for one line of a terminal: line breaks and tabs become one
 * blank, every other control character is spelled out, so that no title can move the cursor, ring, or turn the
 * direction of the rest of the line around.
 */
export function onOneLine(text: string): string {
  return spellControls(text.replace(/\s*[\r\n\t\u2028\u2029]+\s*/g, ' ')).trim()
}

/** The same for text of several lines: line breaks stay, tabs become two blanks. */
export function onManyLines(text: string): string {
  return spellControls(text.replace(/\r\n?/g, '\n').replace(/\t/g, '  '), '\n')
}

/** A line of a file as it stands: its blanks and tabs stay, every other control character is spelled out. */
export const inDiff = (line: string): string => spellControls(line, '\t')

/** The longest start of `text` that fits `columns`, with `…` where something was cut. Never splits an emoji. */
export function cutTo(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  if (columns <= 0) return ''
  let cut = ''
  let used = 0
  for (const { segment } of graphemes.segment(text)) {
    const width = stringWidth(segment)
    if (used + width > columns - 1) break
    cut += segment
    used += width
  }
  return `${cut}…`
}

/** `text` with blanks after it up to `columns`; longer text is left as it is. */
export function padTo(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)))
}

/** Columns that `text` takes in a terminal: two for emoji and CJK, none for marks and colour codes. */
export const widthOf = (text: string): number => stringWidth(text)

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

// C0 and C1 controls, DEL, the two Unicode line ends, and the characters that override or isolate text direction
// (the "Trojan source" set of CVE-2021-42574). Right-to-left letters themselves are left alone.
const controls = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/u
const everyControl = new RegExp(controls, 'gu')

/** The inside of a pattern that matches each character which is never shown as it is. */
export const controlPattern = controls.source

function spellControls(text: string, except = ''): string {
  return text.replace(everyControl, (one) => (one === except ? one : spell(one)))
}

/** `\e`, `\x07` or `\u202e` for such a character. */
export function spell(one: string): string {
  const code = one.charCodeAt(0)
  if (one === '\u001b') return '\\e'
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
}
