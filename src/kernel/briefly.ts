/** Longest text of somebody's own words in an event, a hold or a list, in UTF-16 units: the whole stands in one place only. */
export const longestBrief = 1_000

/** A word that is longer than this is cut within. */
const longestWord = 100

/** The text, or its beginning that ends at a word, with `…`; never more than `longestBrief`. */
export function briefly(text: string): string {
  if (text.length <= longestBrief) return text
  const room = text.slice(0, longestBrief) // one more than is kept: a word that just fits is kept whole
  const atWord = room.search(/\s+\S*$/u)
  const kept = atWord > longestBrief - longestWord ? room.slice(0, atWord) : room.slice(0, -1)
  return `${kept.replace(/[\ud800-\udbff]$/, '')}…`
}
