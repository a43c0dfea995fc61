import { type Fold, foldEnd, foldEnds, foldSigns, foldSpaces } from './fold-line.ts'
import { meanLikeness } from './likeness.ts'
import type { LineText } from './line-text.ts'
import { type Rung, sayRung } from './rungs.ts'
import type { WantedEdit } from './wanted-edit.ts'

const mostCandidates = 12
const mostShownLines = 12
const mostShownChars = 160
const mostComparedLines = 60
const mostLookedAtLines = 250_000
/** A word that stands in more lines says little, and would cost much. */
const mostMeant = 8
const leastLikeness = 0.35

const folds: readonly (readonly [Rung, Fold])[] = [
  ['trailing_space', foldEnd],
  ['indentation', foldEnds],
  ['white_space', foldSpaces],
  ['unicode', foldSigns],
]

/**
 * What a model must know of a text that was not found: the place that is most like it, with the numbers of its lines, the rung
 * that came closest, and the first line that differs. Undefined where nothing is like it.
 */
export function describeNearest(file: LineText, edit: WantedEdit): string | undefined {
  const wanted = edit.oldLines.slice(0, mostComparedLines)
  if (file.lines.length > mostLookedAtLines) return undefined
  const best = candidatesOf(file.lines, wanted)
    .map((at) => ({ at, like: meanLikeness(wanted, file.lines.slice(at, at + wanted.length)) }))
    .reduce((a, b) => (b.like > a.like ? b : a), { at: -1, like: 0 })
  if (best.at < 0 || best.like < leastLikeness) return undefined
  const there = file.lines.slice(best.at, best.at + edit.oldLines.length)
  const closest = closestRung(edit.oldLines, there)
  const from = best.at + 1
  const to = best.at + there.length
  const differs = edit.oldLines.findIndex((line, at) => closest.fold(line) !== closest.fold(there[at] ?? ''))
  return [
    `Nearest is ${from === to ? `line ${from}` : `lines ${from} to ${to}`}: compared ${sayRung(closest.rung)}, ${closest.equal} of ${edit.oldLines.length} lines agree.`,
    ...(differs < 0
      ? []
      : [
          `The first that differs is line ${from + differs}:`,
          `  the file has ${quote(there[differs])}`,
          `  you looked for ${quote(edit.oldLines[differs])}`,
        ]),
    'The file there:',
    ...there.slice(0, mostShownLines).map((line, at) => `${from + at}\t${line.slice(0, mostShownChars)}`),
    ...(there.length > mostShownLines ? [`[… ${there.length - mostShownLines} more lines]`] : []),
  ].join('\n')
}

function closestRung(
  wanted: readonly string[],
  there: readonly string[],
): { readonly rung: Rung; readonly fold: Fold; readonly equal: number } {
  const rated = folds.map(([rung, fold]) => ({
    rung,
    fold,
    equal: wanted.filter((line, at) => fold(line) === fold(there[at] ?? '\0')).length,
  }))
  return rated.reduce((a, b) => (b.equal > a.equal ? b : a))
}

/** First lines (from 0) that are worth a closer look: each line or word that both have is a vote for one. */
function candidatesOf(lines: readonly string[], wanted: readonly string[]): readonly number[] {
  const votes = new Map<number, number>()
  const offsets = new Map<string, number[]>()
  for (const [offset, line] of wanted.entries()) {
    for (const word of new Set(wordsOf(line))) offsets.set(word, [...(offsets.get(word) ?? []), offset])
  }
  for (const [row, line] of lines.entries()) {
    for (const word of new Set(wordsOf(line))) {
      const meant = offsets.get(word) ?? []
      if (meant.length > mostMeant) continue
      for (const offset of meant) {
        const at = Math.max(0, Math.min(row - offset, lines.length - wanted.length))
        votes.set(at, (votes.get(at) ?? 0) + 1 / meant.length)
      }
    }
  }
  const ranked = [...votes].sort(([atA, a], [atB, b]) => b - a || atA - atB)
  return ranked.slice(0, mostCandidates).map(([at]) => at)
}

/** A line as a whole is a word, too: that votes twice for lines that are equal. */
const wordsOf = (line: string): readonly string[] => {
  const whole = foldSigns(line).slice(0, 400)
  return whole === '' ? [] : [`=${whole}`, ...(whole.match(/[\p{L}\p{N}_]{3,}/gu) ?? [])]
}

const quote = (line: string | undefined): string =>
  line === undefined ? 'nothing there' : JSON.stringify(line.slice(0, mostShownChars))
