import type { SecretShape } from './secret-shape.ts'

/** Longer than the largest key anybody has (16,384 bits are 13,000 characters): what has no end by then is no key. */
export const longestKeyChars = 16_384

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
    return { at: match.index, from, to, end: to }
  },
}

/** The rest of a key whose beginning is not in the text: the lines of base64 right before its end. */
export const cutKey: SecretShape = {
  needs: ['PRIVATE KEY'],
  find(text, start) {
    const end = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g
    end.lastIndex = start
    for (let match = end.exec(text); match !== null; match = end.exec(text)) {
      const from = startOfKeyLines(text, { least: start, before: match.index })
      if (from < match.index) return { at: from, from, to: match.index, end: end.lastIndex }
    }
    return undefined
  },
}

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
