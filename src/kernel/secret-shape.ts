/** One form that secrets have, looked for by itself: what two forms find may overlap. */
export interface SecretShape {
  /** Without any of these in the text there is nothing to be found. */
  readonly needs: readonly string[]
  /** The first match that begins at `start` or later. */
  find(text: string, start: number): Match | undefined
}

export interface Match {
  /** Where it begins, with the name that stays readable. */
  readonly at: number
  /** The secret itself, up to `to`, that one excluded. */
  readonly from: number
  readonly to: number
  /** Where the search goes on. */
  readonly end: number
}

interface PatternShape {
  readonly needs: readonly string[]
  /** Global, and never across an end of line. */
  readonly pattern: RegExp
  /** How many of its first groups stay as they are, in front of the secret. */
  readonly kept?: number
  /** How many characters stay behind it. */
  readonly after?: number
}

/** The shape of one line, by a pattern. */
export function shapeOf({ needs, pattern, kept = 0, after = 0 }: PatternShape): SecretShape {
  return {
    needs,
    find(text, start) {
      pattern.lastIndex = start
      const match = pattern.exec(text)
      if (match === null) return undefined
      const end = match.index + match[0].length
      return { at: match.index, from: match.index + keptChars(match, kept), to: end - after, end }
    },
  }
}

interface NamedShape {
  readonly needs: readonly string[]
  /** Global: the name, as its first group, and all up to the value. */
  readonly head: RegExp
  /** Whether that is the name of a secret. */
  readonly isName: (name: string) => boolean
  /** Sticky: the value, with quotes in front of it as its groups. */
  readonly value: RegExp
}

/**
 * The shape of a value behind the name of a secret. The value is looked at only behind such a name: else each of a million
 * harmless names on one line would have the rest of the line walked.
 */
export function namedShape({ needs, head, isName, value }: NamedShape): SecretShape {
  return {
    needs,
    find(text, start) {
      head.lastIndex = start
      for (let match = head.exec(text); match !== null; match = head.exec(text)) {
        const [whole, name = ''] = match
        const from = match.index + whole.length
        value.lastIndex = from
        const found = isName(name) ? value.exec(text) : null
        if (found !== null) {
          const end = from + found[0].length
          return { at: match.index, from: from + keptChars(found, found.length - 1), to: end, end }
        }
        head.lastIndex = match.index + name.length // what follows may be another name
      }
      return undefined
    },
  }
}

const keptChars = ([, ...groups]: RegExpExecArray, kept: number): number => groups.slice(0, kept).join('').length
