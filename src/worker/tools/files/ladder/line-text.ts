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

/** Where `wanted` stands as lines of its own, both folded; numbers of first lines, from 0. Lines that are all blank are nowhere. */
export function findLines(
  lines: readonly string[],
  wanted: readonly string[],
  fold: (line: string) => string,
  from = 0,
): readonly number[] {
  const folded = wanted.map(fold)
  if (folded.every((line) => line === '')) return []
  // The rarest line decides where a closer look is worth it; blank ones say nothing.
  const pivot = folded.reduce((best, line, at) => (line.length > (folded[best] ?? '').length ? at : best), 0)
  const found: number[] = []
  for (let at = from; at + folded.length <= lines.length; at += 1) {
    if (fold(lines[at + pivot] ?? '') !== folded[pivot]) continue
    if (folded.every((line, offset) => line === fold(lines[at + offset] ?? ''))) found.push(at)
  }
  return found
}
