import { type Fold, foldEnd, foldEnds, foldSigns, foldSpaces } from './fold-line.ts'
import { findAnchored, findNear, findSimilar } from './guesses.ts'
import { findLines, type LineText, lineOf } from './line-text.ts'
import { findExact, mostPlaces } from './places-exact.ts'
import { findInLine } from './places-in-line.ts'
import { isGuess, type Rung, rungs } from './rungs.ts'
import { type Place, placeOfLines, splitEdit, type WantedEdit } from './wanted-edit.ts'

/** Where an edit fits. `ambiguous`: a rung has found it more than once; the numbers of the lines, from 1. */
export type Climbed =
  | { readonly kind: 'found'; readonly rung: Rung; readonly places: readonly Place[] }
  | { readonly kind: 'ambiguous'; readonly rung: Rung; readonly lines: readonly number[] }
  | { readonly kind: 'none' }

/** In a text of more lines only what stands there to the letter is looked for: the rest would take seconds. */
export const mostLooseLines = 250_000

/**
 * Looks for the old text of an edit, rung by rung (worker-facts c.3). The first rung that finds anything decides: with one
 * place it is found, with more it is not clear which is meant. `all` takes every place of a rung that proves its match.
 */
export function climb(file: LineText, edit: WantedEdit, which: 'one' | 'all'): Climbed {
  for (const { name: rung } of rungs) {
    if (rung !== 'exact' && file.lines.length > mostLooseLines) break
    if (which === 'all' && (rung === 'escapes' || isGuess(rung))) break
    const places = findOn(rung, file, edit, which)
    if (places.length === 0) continue
    if (places.length === 1 || which === 'all') return { kind: 'found', rung, places }
    return { kind: 'ambiguous', rung, lines: places.map(({ start }) => lineOf(file, start)) }
  }
  return { kind: 'none' }
}

function findOn(rung: Rung, file: LineText, edit: WantedEdit, which: 'one' | 'all'): readonly Place[] {
  const byLines = (fold: Fold) => toPlaces(file, edit, findLines(file.lines, edit.oldLines, fold), which)
  switch (rung) {
    case 'exact':
      return findExact(file.text, edit, which === 'all' ? 'apart' : 'overlapping')
    case 'trailing_space':
      return byLines(foldEnd)
    case 'indentation':
      return byLines(foldEnds)
    case 'white_space':
      return widerOf(byLines(foldSpaces), findInLine(file, edit, 'as_they_are'))
    case 'unicode':
      return widerOf(byLines(foldSigns), findInLine(file, edit, 'folded'))
    case 'escapes':
      return findUnescaped(file, edit)
    case 'anchors':
      return toPlaces(file, edit, findAnchored(file, edit), which)
    case 'similar_lines':
      return toPlaces(file, edit, findSimilar(file, edit), which)
    case 'distance':
      return toPlaces(file, edit, findNear(file, edit), which)
  }
}

/** A text that is a line of its own here and a part of a line there stands in two places. */
const widerOf = (whole: readonly Place[], parts: readonly Place[]): readonly Place[] =>
  whole.length > 0 && parts.length <= whole.length ? whole : parts

/** With `all`, what overlaps the place before it is left out. */
function toPlaces(file: LineText, edit: WantedEdit, found: readonly number[], which: 'one' | 'all'): readonly Place[] {
  let free = 0
  return found.slice(0, which === 'one' ? mostPlaces : undefined).flatMap((at) => {
    if (which === 'all' && at < free) return []
    free = at + edit.oldLines.length
    return [placeOfLines(file, at, edit)]
  })
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '', '"': '"', "'": "'", '\\': '\\' }
const resolveEscapes = (text: string): string =>
  text.replace(/\\([ntr"'\\])/g, (whole, sign: string) => escapes[sign] ?? whole)

/** Rung 6: only where the file has no such escapes at the place, or they may be meant. */
function findUnescaped(file: LineText, edit: WantedEdit): readonly Place[] {
  const old = resolveEscapes(edit.old)
  if (old === edit.old || old.trim() === '') return []
  const plain = splitEdit(old, resolveEscapes(edit.next))
  const exact = findExact(file.text, plain, 'overlapping')
  const places =
    exact.length > 0 ? exact : toPlaces(file, plain, findLines(file.lines, plain.oldLines, foldEnds), 'one')
  return places.filter(({ start, end }) => !/\\[ntr"']/.test(file.text.slice(start, end)))
}
