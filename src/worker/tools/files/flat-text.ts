import type { Place } from './ladder/wanted-edit.ts'

/**
 * A text with `\n` alone at its line ends, in which places are looked for, and the way back: an edit changes what differs and
 * not one byte besides, so mixed line ends stay mixed.
 */
export interface FlatText {
  readonly flat: string
  /** The text with all places filled; they do not overlap. New lines end as the lines around them do. */
  fill(places: readonly Place[]): string
}

export const flattenNewlines = (text: string): string => text.replaceAll('\r\n', '\n')

export function flattenText(raw: string): FlatText {
  const flat = flattenNewlines(raw)
  const wide = findWide(raw)
  const toRaw = (at: number): number => at + countBelow(wide, at)
  return {
    flat,
    fill(places) {
      const parts: string[] = [] // there may be millions of places
      let done = 0
      for (const place of places.toSorted((a, b) => a.start - b.start)) {
        const { start, end, text } = narrow(flat, place)
        const isWide = text.includes('\n') && wide.length > 0 && isWideAt(flat, wide, start)
        parts.push(raw.slice(done, toRaw(start)), isWide ? text.replaceAll('\n', '\r\n') : text)
        done = toRaw(end)
      }
      return parts.join('') + raw.slice(done)
    },
  }
}

/** Where in the flat text line ends stand that had two characters, in order. */
function findWide(raw: string): readonly number[] {
  const found: number[] = []
  for (let at = raw.indexOf('\r\n'); at >= 0; at = raw.indexOf('\r\n', at + 2)) found.push(at - found.length)
  return found
}

/** Without what old and new have in common at both ends. */
function narrow(flat: string, { start, end, text }: Place): Place {
  const old = flat.slice(start, end)
  const shorter = Math.min(old.length, text.length)
  let head = 0
  while (head < shorter && old[head] === text[head]) head += 1
  let tail = 0
  while (tail < shorter - head && old[old.length - 1 - tail] === text[text.length - 1 - tail]) tail += 1
  return { start: start + head, end: end - tail, text: text.slice(head, text.length - tail) }
}

/** Whether the line in which this character stands ends with two; of the last line, the one before it. */
function isWideAt(flat: string, wide: readonly number[], at: number): boolean {
  const next = flat.indexOf('\n', at)
  const end = next < 0 ? flat.lastIndexOf('\n') : next
  return wide[countBelow(wide, end)] === end
}

/** How many of these numbers, in order, are smaller. */
function countBelow(numbers: readonly number[], limit: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] ?? 0) < limit) low = middle + 1
    else high = middle
  }
  return low
}
