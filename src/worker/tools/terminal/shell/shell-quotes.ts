/** A here document whose text is still to come. */
export interface HereText {
  readonly delimiter: string
  /** stripped: after `<<-` its lines, and the one that ends it, may begin with tabs. */
  readonly tabs: 'kept' | 'stripped'
}

/** Where the quote ends that began before `from`; undefined when it never does. `escapes`: a backslash guards the next character. */
export function skipQuoted(text: string, from: number, quote: string, how: 'plain' | 'escapes'): number | undefined {
  if (how === 'plain') {
    const end = text.indexOf(quote, from)
    return end === -1 ? undefined : end
  }
  for (let at = from; at < text.length; at += 1) {
    const char = text[at]
    if (char === quote) return at
    if (char === '\\') at += 1
  }
  return undefined
}

/** Behind the `))` of arithmetic whose `((` stands before `from`. */
export function skipArithmetic(text: string, from: number): number | undefined {
  let open = 2
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '(') open += 1
    else if (text[at] === ')') open -= 1
    if (open === 0) return at + 1
  }
  return undefined
}

/** Behind the `}` of an expansion whose `${` stands before `from`. */
export function skipBraces(text: string, from: number): number | undefined {
  let open = 1
  for (let at = from; at < text.length; at += 1) {
    const char = text[at]
    if (char === '\\') at += 1
    else if (char === "'") at = skipQuoted(text, at + 1, "'", 'plain') ?? at
    else if (char === '{') open += 1
    else if (char === '}') open -= 1
    if (open === 0) return at + 1
  }
  return undefined
}

/** Behind the here documents that begin at `from`, one after the other; undefined when one never ends. */
export function readHereTexts(text: string, from: number, hereTexts: readonly HereText[]): number | undefined {
  let at = from
  for (const { delimiter, tabs } of hereTexts) {
    for (let isOver = false; !isOver; ) {
      if (at >= text.length) return undefined
      const newline = text.indexOf('\n', at)
      const end = newline === -1 ? text.length : newline
      const line = text.slice(at, end)
      at = end + 1
      isOver = (tabs === 'stripped' ? line.replace(/^\t+/, '') : line) === delimiter
    }
  }
  return Math.min(at, text.length)
}
