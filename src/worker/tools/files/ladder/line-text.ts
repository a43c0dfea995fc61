/** A text in lines, with where each begins. Line ends are `\n` alone here. */
export interface LineText {
  readonly text: string
  readonly lines: readonly string[]
  readonly starts: readonly number[]
}

/** The last line is empty where the text ends with a newline. */
export function splitLines(text: string): LineText {
  const lines = text.split('\n')
  const starts: number[] = []
  let at = 0
  for (const line of lines) {
    starts.push(at)
    at += line.length + 1
  }
  return { text, lines, starts }
}

/** The number of the line, from 1, in which this character stands. */
export function lineOf({ starts }: LineText, at: number): number {
  let low = 0
  let high = starts.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((starts[middle] ?? 0) <= at) low = middle + 1
    else high = middle
  }
  return low
}

/** How many lines one look may compare: beyond that, in a text of very many equal lines, nothing counts as found. */
const mostCompared = 5_000_000

/** Where `wanted` stands as lines of its own, both folded; numbers of first lines, from 0. Lines that are all blank are nowhere. */
export function findLines(
  lines: readonly string[],
  wanted: readonly string[],
  fold: (line: string) => string,
): readonly number[] {
  const folded = wanted.map(fold)
  if (folded.every((line) => line === '')) return []
  // The rarest line decides where a closer look is worth it; blank ones say nothing.
  const pivot = folded.reduce((best, line, at) => (line.length > (folded[best] ?? '').length ? at : best), 0)
  const there = lines.map(fold)
  const found: number[] = []
  let compared = 0
  for (let at = 0; at + folded.length <= there.length; at += 1) {
    if (there[at + pivot] !== folded[pivot]) continue
    const differs = folded.findIndex((line, offset) => line !== there[at + offset])
    if (differs < 0) found.push(at)
    compared += differs < 0 ? folded.length : differs + 1
    if (compared > mostCompared) return []
  }
  return found
}
