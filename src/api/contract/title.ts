/** Longest title, in characters (code points). */
export const longestTitle = 500
const longestMadeTitle = 80

/**
 * A title as it is stored: one line of text. Whatever would break a listing or move a terminal's cursor is taken
 * out (line breaks, tabs, control and escape characters become one blank; marks that turn the direction of the text
 * around them are dropped; half of a surrogate pair becomes U+FFFD). Everything else is data and stays: leading
 * dashes, `$(…)`, quotes, emoji, right-to-left scripts. Empty when nothing is left.
 */
export function normaliseTitle(text: string): string {
  return text
    .replace(/\p{Surrogate}/gu, '\u{fffd}')
    .replace(/[\u{202a}-\u{202e}\u{2066}-\u{2069}\u{feff}]/gu, '')
    .replace(/[\p{Cc}\u{2028}\u{2029}\s]+/gu, ' ')
    .trim()
}

/** The title of a card that was given none: the first line of its prompt or its command, at most 80 characters. */
export function titleFrom(work: { readonly prompt?: string; readonly run?: string | readonly string[] }): string {
  const text = work.prompt ?? (typeof work.run === 'string' ? work.run : (work.run ?? []).join(' '))
  // A prompt may have megabytes: the first line that says something is near the beginning or nowhere.
  const lines = text.slice(0, 10_000).split(/[\r\n\u{2028}\u{2029}]+/u)
  const line = lines.map(normaliseTitle).find((candidate) => candidate !== '') ?? ''
  const letters = [...line]
  if (letters.length === 0) return 'untitled'
  return letters.length <= longestMadeTitle ? line : `${letters.slice(0, longestMadeTitle - 1).join('')}…`
}
