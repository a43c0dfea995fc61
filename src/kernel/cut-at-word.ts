/** A key or token that is cut in two is not found any more when secrets are masked: so far back a cut looks for its begin. */
const longestWordChars = 1_024

/** At most so many characters, for a text that is not masked yet: a word that goes on after them is left out whole. */
export function cutAtWord(text: string, mostChars: number): string {
  if (text.length <= mostChars) return text
  let end = mostChars
  const least = Math.max(0, mostChars - longestWordChars)
  while (end > least && isWord(text, end) && isWord(text, end - 1)) end -= 1
  return text.slice(0, end)
}

/** What keys, tokens and their encodings are made of. */
const isWord = (text: string, at: number): boolean => /[\w+/=.~%\\-]/.test(text.charAt(at))
