/** Characters that all results of one turn may have together (worker-facts c.11), and one alone. */
export const resultLimits: ResultLimits = { oneChars: 100_000, allChars: 200_000 }

interface ResultLimits {
  readonly oneChars: number
  readonly allChars: number
}

const headShare = 0.4

/**
 * Results of one turn as the conversation takes them, in their order: the longest give way first, beginning and end stay,
 * and the cut says how much is gone. What is longer than any tool would send is cut all the same.
 */
export function capResults(texts: readonly string[], limits = resultLimits): readonly string[] {
  const mostChars = shareOf(texts, limits)
  return texts.map((text) => cutMiddle(text, mostChars))
}

/** The length to which all have to be cut that are longer, so that together they fit. */
function shareOf(texts: readonly string[], { oneChars, allChars }: ResultLimits): number {
  const lengths = texts.map(({ length }) => Math.min(length, oneChars)).sort((a, b) => a - b)
  let leftChars = allChars
  for (const [index, length] of lengths.entries()) {
    const share = Math.floor(leftChars / (lengths.length - index))
    if (length > share) return share
    leftChars -= length
  }
  return oneChars
}

/** A text of at most so many characters, and a few for saying what is missing. */
export function cutMiddle(text: string, mostChars: number): string {
  if (text.length <= mostChars) return text
  const head = wholeCharacters(text, 0, Math.floor(mostChars * headShare))
  const tail = wholeCharacters(text, text.length - (mostChars - head.length), text.length)
  const goneChars = text.length - head.length - tail.length
  return `${head}\n[… ${goneChars} characters are left out here: results of one turn are cut to fit …]\n${tail}`
}

/** No half of a pair of surrogates at either end. */
function wholeCharacters(text: string, from: number, to: number): string {
  const begins = isLowSurrogate(text.charCodeAt(from)) ? from + 1 : from
  const ends = isLowSurrogate(text.charCodeAt(to)) ? to - 1 : to
  return text.slice(begins, Math.max(begins, ends))
}

const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff
