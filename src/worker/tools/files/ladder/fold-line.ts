/** A line with what two texts may differ in taken away, so that the rest can be compared. */
export type Fold = (line: string) => string

/** White space at the end of a line counts for nothing. */
export const foldEnd: Fold = (line) => line.trimEnd()

/** White space at both ends counts for nothing. */
export const foldEnds: Fold = (line) => line.trim()

/** Any run of white space is one space. */
export const foldSpaces: Fold = (line) => line.trim().replace(/\s+/g, ' ')

/** Quotes, dashes and spaces that look alike are alike, and so are letters of one meaning (NFKC). */
export const foldSigns: Fold = (line) => foldSpaces(foldCharacters(line))

const singleQuotes = /[\u2018\u2019\u201a\u201b\u2032\u00b4]/g
const doubleQuotes = /[\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb]/g
const dashes = /[\u2010-\u2015\u2212\u00ad]/g
const noWidth = /[\u200b-\u200d\u2060\ufeff]/g

/** The same without touching white space of ASCII. */
export function foldCharacters(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text
  return text
    .replace(/\u00b4/g, "'")
    .normalize('NFKC')
    .replace(singleQuotes, "'")
    .replace(doubleQuotes, '"')
    .replace(dashes, '-')
    .replace(noWidth, '')
}
