import type { Match, SecretShape } from './secret-shape.ts'

/** Longer than the largest key anybody has (16,384 bits are 13,000 characters): what has no end by then is no key. */
export const longestKeyChars = 16_384

const longestMarkerChars = 80
const endMarker = '-----END '

/** From its BEGIN line to its END line. By hand: many beginnings without an end would make a lazy pattern walk the text again and again. */
export const privateKey: SecretShape = {
  needs: ['PRIVATE KEY'],
  find(text, start) {
    const begin = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g
    begin.lastIndex = start
    const match = begin.exec(text)
    if (match === null) return undefined
    const from = begin.lastIndex
    const most = from + longestKeyChars
    const end = text.slice(from, most + endMarker.length).indexOf(endMarker)
    // Without an end in reach the key is cut: what follows belongs to it.
    const to = end === -1 ? Math.min(text.length, most) : from + end
    const isOpen = end === -1 && text.length < most + endMarker.length
    return { at: match.index, from, to, end: to, is: isOpen ? 'open' : 'closed' }
  },
  undecided: (text, start) => Math.max(start, lineStart(text), text.length - longestMarkerChars),
}

/** The rest of a key whose beginning is not in the text: the lines of base64 right before its end. */
export const cutKey: SecretShape = {
  needs: ['PRIVATE KEY'],
  find(text, start) {
    const end = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g
    end.lastIndex = start
    for (let match = end.exec(text); match !== null; match = end.exec(text)) {
      const from = startOfKeyLines(text, { least: start, before: match.index })
      if (from < match.index) return closed({ at: from, from, to: match.index, end: end.lastIndex })
    }
    return undefined
  },
  // The lines at the end of the text may be the rest of a key whose END is still to come.
  undecided(text, start) {
    const line = lineStart(text)
    const isKeyLine = /^(?:[A-Za-z0-9+/=]{0,76}\r?|-{1,5}[A-Z0-9 ]{0,80}-{0,5})$/.test(text.slice(line, line + 200))
    if (!isKeyLine) return Math.max(start, Math.min(line, text.length))
    return startOfKeyLines(text, { least: start, before: line })
  },
}

const closed = (match: Omit<Match, 'is'>): Match => ({ ...match, is: 'closed' })

const lineStart = (text: string): number => text.lastIndexOf('\n') + 1

/** Of the lines of base64 that end at `before`. */
function startOfKeyLines(text: string, { least, before }: { readonly least: number; readonly before: number }): number {
  let start = before
  const earliest = Math.max(least, before - longestKeyChars)
  while (start > earliest) {
    const lineFrom = start < 2 ? 0 : Math.max(earliest, text.lastIndexOf('\n', start - 2) + 1)
    if (!/^[A-Za-z0-9+/=]{1,76}\r?\n$/.test(text.slice(lineFrom, start))) break
    start = lineFrom
  }
  return start
}
